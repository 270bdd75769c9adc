//! What is missing according to a NOT_FOUND answer.

use crate::{Code, Status};

/// Whether a call failed because its table is missing. A missing family, instance or app profile
/// has the same code.
#[must_use]
pub fn lacks_table(status: &Status) -> bool {
    let names = |what: &str| status.message.to_lowercase().contains(what);
    let of_instance = names("instance") && !names("table");
    status.code == Code::NotFound && !lacks_family(status) && !of_instance
}

/// Whether a call failed because its table lacks a column family.
#[must_use]
pub fn lacks_family(status: &Status) -> bool {
    let message = status.message.to_lowercase();
    status.code == Code::NotFound && message.contains("column family")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_table_is_told_from_other_things_that_are_missing() {
        let missing = |message: &str| lacks_table(&Status::new(Code::NotFound, message));
        assert!(missing("Table not found: SENSOR_20170726"));
        assert!(missing("Table not found: projects/p/instances/i/tables/t"));
        assert!(missing(
            "table \"projects/p/instances/i/tables/t\" not found"
        ));
        assert!(missing(""));
        assert!(!missing(
            "Error while reading table 't' : Requested column family not found: MD"
        ));
        assert!(!missing("Instance not found: projects/p/instances/i"));
        assert!(!missing(
            "App profile projects/p/instances/i/appProfiles/a not found"
        ));
        let other = Status::new(Code::Unavailable, "Table not found: t");
        assert!(!lacks_table(&other));
    }
}
