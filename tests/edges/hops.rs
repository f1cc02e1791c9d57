//! The path of an object from a frame to a handler matches the table in `docs/ARCHITECTURE.md`, and
//! is short.

use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

/// Maximum number of hops.
const MAX_HOPS: usize = 15;

/// Row of the table: the called function, and its file below `runtime/src`.
struct Hop<'a> {
    function: &'a str,
    file: &'a str,
}

/// Finds a method of a type or a trait, or a free function.
struct Finder<'a> {
    owner: Option<&'a str>,
    name: &'a str,
    found: bool,
}

/// Verified to fail with `EventSplitter::pull` instead of `push`, with `push` in another row's
/// file, and with one row too many.
#[test]
fn the_path_to_a_handler_matches_the_table_and_is_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let hops = hops(&page);
    assert!(!hops.is_empty(), "the table of hops is missing");
    assert!(hops.len() <= MAX_HOPS, "{} hops", hops.len());
    let wrong = hops.iter().filter(|hop| !hop.exists(root));
    let wrong: Vec<_> = wrong
        .map(|hop| format!("{} is not in {}", hop.function, hop.file))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the rows of the table: a number, then a function and its file in backticks.
fn hops(page: &str) -> Vec<Hop<'_>> {
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let _number: usize = cells.next()?.trim().parse().ok()?;
        let (function, file) = (code(cells.next()?)?, code(cells.next()?)?);
        Path::new(file).extension()?;
        Some(Hop { function, file })
    });
    rows.collect()
}

// === impl Hop ===

impl Hop<'_> {
    fn exists(&self, root: &Path) -> bool {
        let text = fs::read_to_string(root.join("runtime/src").join(self.file));
        let Some(file) = text.ok().and_then(|text| syn::parse_file(&text).ok()) else {
            return false;
        };
        let (owner, name) = match self.function.rsplit_once("::") {
            Some((owner, name)) => (Some(owner), name),
            None => (None, self.function),
        };
        let mut finder = Finder {
            owner,
            name,
            found: false,
        };
        finder.visit_file(&file);
        finder.found
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let is_owner = matches!(&*item.self_ty, syn::Type::Path(path)
            if path.path.segments.last().map(|last| last.ident.to_string()).as_deref() == self.owner);
        self.found |= is_owner
            && item.items.iter().any(
                |item| matches!(item, syn::ImplItem::Fn(function) if function.sig.ident == self.name),
            );
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.found |= self.owner.is_none() && item.sig.ident == self.name;
    }
}

/// Returns the text between two backticks in a cell.
fn code(cell: &str) -> Option<&str> {
    cell.trim().strip_prefix('`')?.strip_suffix('`')
}
