#[path = "input"]
mod circle;
