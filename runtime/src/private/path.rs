//! The walk along a path, from an object to the values at its end.

/// Makes the function that gives the values at a path.
///
/// A path is written as `.spec.template*.ports*["key"]*/name*`, or begins with `metadata`:
///
/// - `.name` goes to a field, by its name in Rust;
/// - `/name` goes to a field of a type of k8s-openapi, whose fields are called as JSON's by a rule: any
///   other type does not compile, see [`Spelt`](crate::private::Spelt);
/// - `["key"]` goes to the value of a map's key;
/// - `*` goes through up to three wrappers (`Option`, `Vec`, ..), as [`Peel`](crate::private::Peel)
///   finds them: whoever writes the path does not see the types on it.
#[doc(hidden)]
#[macro_export]
macro_rules! __path {
    (@walk $values:ident $at:expr;) => {
        $values.push($crate::private::index_value($at));
    };
    (@walk $values:ident $at:expr; .$field:ident* $($rest:tt)*) => {
        $crate::__path!(@peel $values (&$at.$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; .$field:ident $($rest:tt)*) => {
        $crate::__path!(@walk $values (&$at.$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; /$field:ident* $($rest:tt)*) => {
        $crate::__path!(@peel $values (&$at.__spelt_as_in_kubernetes().$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; [$key:literal]* $($rest:tt)*) => {
        if let ::core::option::Option::Some(at) = $crate::private::map_value($at, $key) {
            $crate::__path!(@peel $values at; $($rest)*);
        }
    };
    (@walk $values:ident $at:expr; [$key:literal] $($rest:tt)*) => {
        if let ::core::option::Option::Some(at) = $crate::private::map_value($at, $key) {
            $crate::__path!(@walk $values at; $($rest)*);
        }
    };
    (@peel $values:ident $at:expr; $($rest:tt)*) => {
        for at in ($at).__peel() {
            for at in at.__peel() {
                for at in at.__peel() {
                    $crate::__path!(@walk $values at; $($rest)*);
                }
            }
        }
    };
    (metadata $($rest:tt)*) => {
        $crate::__path!(@function object ($crate::private::metadata(object)) $($rest)*)
    };
    (@function $object:ident ($at:expr) $($rest:tt)*) => {
        |$object| {
            // Which of them is used depends on the fields' types.
            #[allow(unused_imports)]
            use $crate::private::{Peel as _, PeelNothing as _, Spelt as _, SpeltOtherwise as _};
            let mut values = ::std::vec::Vec::new();
            $crate::__path!(@walk values $at; $($rest)*);
            values
        }
    };
    ($($rest:tt)*) => {
        $crate::__path!(@function object (object) $($rest)*)
    };
}
