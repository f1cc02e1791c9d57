#[kube(group = "
