#[kube(kind = "Foo")]
#[informer(of = Pod, accessor = "pods", scope = "Namespaced")]
#[serde(flatten)]
pub(in crate::a)
struct S;
a: HashMap<String, Vec<u8>>,
r#type: u8,
fn(&u8) -> [u8; 3]
impl Trait + 'static
enum
