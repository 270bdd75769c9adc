use bigtable_model::{Model, Timestamp};

#[derive(Model)]
#[bigtable(table = "QUOTE", family = "MD", gc(any( all(max_versions = 1, max_age = "1d"), all(max_versions = 2, max_age = "2d"), all(max_versions = 3, max_age = "3d"), all(max_versions = 4, max_age = "4d"), all(max_versions = 5, max_age = "5d"), all(max_versions = 6, max_age = "6d"), all(max_versions = 7, max_age = "7d"), all(max_versions = 8, max_age = "8d"), all(max_versions = 9, max_age = "9d"), all(max_versions = 10, max_age = "10d"), all(max_versions = 11, max_age = "11d"), all(max_versions = 12, max_age = "12d"), all(max_versions = 13, max_age = "13d"), all(max_versions = 14, max_age = "14d"), all(max_versions = 15, max_age = "15d"), all(max_versions = 16, max_age = "16d"), all(max_versions = 17, max_age = "17d"), all(max_versions = 18, max_age = "18d"), all(max_versions = 19, max_age = "19d"), all(max_versions = 20, max_age = "20d"), all(max_versions = 21, max_age = "21d"), all(max_versions = 22, max_age = "22d"), all(max_versions = 23, max_age = "23d"), all(max_versions = 24, max_age = "24d"), all(max_versions = 25, max_age = "25d"), all(max_versions = 26, max_age = "26d"), all(max_versions = 27, max_age = "27d"), all(max_versions = 28, max_age = "28d"), all(max_versions = 29, max_age = "29d"), all(max_versions = 30, max_age = "30d"), all(max_versions = 31, max_age = "31d"), all(max_versions = 32, max_age = "32d"), all(max_versions = 33, max_age = "33d"), all(max_versions = 34, max_age = "34d"), all(max_versions = 35, max_age = "35d"), all(max_versions = 36, max_age = "36d"), all(max_versions = 37, max_age = "37d"), all(max_versions = 38, max_age = "38d"), all(max_versions = 39, max_age = "39d"), all(max_versions = 40, max_age = "40d"), all(max_versions = 41, max_age = "41d"), all(max_versions = 42, max_age = "42d"), all(max_versions = 43, max_age = "43d"), all(max_versions = 44, max_age = "44d"), all(max_versions = 45, max_age = "45d"), all(max_versions = 46, max_age = "46d"), all(max_versions = 47, max_age = "47d"), all(max_versions = 48, max_age = "48d"), all(max_versions = 49, max_age = "49d"), all(max_versions = 50, max_age = "50d"), all(max_versions = 51, max_age = "51d"), all(max_versions = 52, max_age = "52d"), all(max_versions = 53, max_age = "53d"), all(max_versions = 54, max_age = "54d"), all(max_versions = 55, max_age = "55d"), all(max_versions = 56, max_age = "56d"), all(max_versions = 57, max_age = "57d"), all(max_versions = 58, max_age = "58d"), all(max_versions = 59, max_age = "59d"), all(max_versions = 60, max_age = "60d"),)))]
struct Quote {
    #[bigtable(key)]
    symbol: String,
    #[bigtable(time)]
    at: Timestamp,
    bid: f64,
}

fn main() {
    let _ = Quote::query();
}
