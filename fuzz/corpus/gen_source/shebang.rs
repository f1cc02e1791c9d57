#!/usr/bin/env run
#[derive(CustomResource)] #[kube(group = "a.b", version = "v1", kind = "Foo")] pub struct S;
