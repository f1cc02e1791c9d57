//! Access to the values at the end of a path, starting from an object.

/// Creates the function that returns the values at a path.
///
/// `path!(values object, ..)` is these values as an expression, and `path!(places object, ..)` are
/// references to what the path leads to.
///
/// A path is written as `.spec.template[].ports[]["key"][]/name[]`, or begins with `metadata`:
///
/// - `.name` selects a field, by its Rust name;
/// - `/name` selects a field of a k8s-openapi type, whose Rust names follow from the JSON names by
///   a rule; other types do not compile, see [`Spelt`](crate::private::Spelt);
/// - `["key"]` selects the value of a map's key;
/// - `[]` removes up to three wrappers (`Option`, `Vec`, ..) with [`Peel`](crate::private::Peel),
///   because the author of the path does not know the types on it; each further `[]` removes one more;
/// - `with function` at the end takes the values that a function returns for the value there.
#[doc(hidden)]
#[macro_export]
macro_rules! __path {
    (@walk $values:ident $at:expr;) => {
        $values.push($crate::private::index_value($at));
    };
    (@walk $values:ident $at:expr; [] $($rest:tt)*) => {
        for at in ($at).__peel() {
            $crate::__path!(@walk $values at; $($rest)*);
        }
    };
    (@walk $values:ident $at:expr; metadata $($rest:tt)*) => {
        $crate::__path!(@walk $values ($crate::private::metadata($at)); $($rest)*);
    };
    (@walk $places:ident $at:expr; =>) => {
        $places.push($at);
    };
    (@walk $values:ident $at:expr; with $($function:ident)::+) => {
        $values.append(&mut $($function)::+($at));
    };
    (@walk $values:ident $at:expr; .$field:ident[] $($rest:tt)*) => {
        $crate::__path!(@peel $values (&$at.$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; .$field:ident $($rest:tt)*) => {
        $crate::__path!(@walk $values (&$at.$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; /$field:ident[] $($rest:tt)*) => {
        $crate::__path!(@peel $values (&$at.__spelt_as_in_kubernetes().$field); $($rest)*);
    };
    (@walk $values:ident $at:expr; [$key:literal][] $($rest:tt)*) => {
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
    ($(.$field:ident)+) => {
        |object| ::std::vec::Vec::from([$crate::private::index_value(&object$(.$field)+)])
    };
    (places $object:ident, $($path:tt)*) => {
        $crate::__path!(@all $object $($path)* =>)
    };
    (values $object:ident, $($path:tt)*) => {
        $crate::__path!(@all $object $($path)*)
    };
    (@all $object:ident $($rest:tt)*) => {{
        // The fields' types decide which of these traits are used.
        #[allow(unused_imports)]
        use $crate::private::{Peel as _, PeelNothing as _, Spelt as _, SpeltOtherwise as _};
        let mut found = ::std::vec::Vec::new();
        $crate::__path!(@walk found $object; $($rest)*);
        found
    }};
    ($($path:tt)*) => {
        |object| $crate::__path!(values object, $($path)*)
    };
}
