use serde_json::json;

use super::*;

#[test]
fn the_label_of_a_fifth_and_all_nodes_are_looked_up() {
    let mut lookups = Candidates::default();
    assert_eq!(lookups.chosen().label, None);
    for number in 0..10 {
        let labels = json!({"all": "yes", "half": (number % 2).to_string(), "fifth": (number % 5).to_string()});
        lookups.add(&json!({"metadata": {"labels": labels}, "spec": {"nodeName": format!("node-{}", number / 5)}}));
    }
    let chosen = lookups.chosen();
    assert_eq!(chosen.label, Some(("fifth".to_owned(), "0".to_owned())));
    assert_eq!(chosen.nodes, ["node-0", "node-1"]);
}
