use serde_json::json;

use super::*;

#[test]
fn the_label_of_a_fifth_and_all_nodes_are_looked_up() {
    let mut lookups = Lookups::default();
    assert_eq!(lookups.to_text(), "");
    for number in 0..10 {
        let labels = json!({"all": "yes", "half": (number % 2).to_string(), "fifth": (number % 5).to_string()});
        lookups.add(&json!({"metadata": {"labels": labels}, "spec": {"nodeName": format!("node-{}", number / 5)}}));
    }
    assert_eq!(lookups.to_text(), "fifth=0\nnode-0\nnode-1");
}
