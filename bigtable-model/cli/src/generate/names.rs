//! Names of structs and fields from names of tables and columns.

use std::collections::BTreeSet;

/// The names of a struct's fields, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// A field's name for a column or a segment.
    pub(super) fn take(&mut self, name: &str) -> String {
        let plain = snake(name);
        let mut taken = plain.clone();
        let mut more = 2;
        while !self.0.insert(taken.clone()) {
            taken = format!("{plain}_{more}");
            more += 1;
        }
        taken
    }
}

/// Words that no field may be called.
const RESERVED: [&str; 54] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "events", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "select", "self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "union",
];

/// `bidSize` and `BID SIZE` are `bid_size`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut is_lower = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            if !text.is_empty() && !text.ends_with('_') {
                text.push('_');
            }
            is_lower = false;
            continue;
        }
        if letter.is_ascii_uppercase() && is_lower {
            text.push('_');
        }
        is_lower = letter.is_ascii_lowercase();
        text.push(letter.to_ascii_lowercase());
    }
    let text = text.trim_end_matches('_');
    match text {
        "" => "column".to_owned(),
        text if text.starts_with(|first: char| first.is_ascii_digit()) => format!("column_{text}"),
        text if RESERVED.contains(&text) => format!("{text}_"),
        text => text.to_owned(),
    }
}

/// `SENSOR_DATA` and `sensor-data` are `SensorData`.
pub(super) fn camel(name: &str) -> String {
    let words = snake(name);
    let words = words.split('_').filter(|word| !word.is_empty());
    let words = words.map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    let name: String = words.collect();
    // Names that the file itself uses.
    match name.as_str() {
        "Model" | "Timestamp" | "String" | "Vec" | "Option" | "BTreeMap" | "Self" => {
            format!("{name}Row")
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_rust() {
        let mut names = Names::default();
        assert_eq!(names.take("bidSize"), "bid_size");
        assert_eq!(names.take("BID SIZE"), "bid_size_2");
        assert_eq!(names.take("CPU/CPU1_USR"), "cpu_cpu1_usr");
        assert_eq!(names.take("type"), "type_");
        assert_eq!(names.take("7"), "column_7");
        assert_eq!(names.take("größe"), "gr_e");
        assert_eq!(names.take("温度"), "column");
        assert_eq!(camel("SENSOR_DATA"), "SensorData");
        assert_eq!(camel("model"), "ModelRow");
    }
}
