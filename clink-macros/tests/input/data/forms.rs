#[derive(Data, Clone)]
struct Point(f64, #[data(rename = "north")] f64);
#[derive(Data, Clone)]
struct Code(String);
#[derive(Data, Clone)]
enum Class {
    First,
    #[data(rename = "2nd")]
    Second,
}
