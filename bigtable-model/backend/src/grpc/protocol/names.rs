//! Resource names: `projects/{project}/instances/{instance}/tables/{table}`.

/// The name of an instance, from which the names of its tables are made.
#[derive(Debug, Clone)]
pub(crate) struct InstanceName(String);

impl InstanceName {
    pub(crate) fn new(project: &str, instance: &str) -> Self {
        Self(format!("projects/{project}/instances/{instance}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn table(&self, table: &str) -> String {
        format!("{}/tables/{table}", self.0)
    }

    /// What a call of the data API is for: a table, or a view of it.
    pub(crate) fn target(&self, table: &str, view: Option<&str>, app_profile: &str) -> Target {
        let table = self.table(table);
        let app_profile = app_profile.to_owned();
        match view {
            None => Target {
                table,
                view: String::new(),
                app_profile,
            },
            Some(view) => Target {
                view: format!("{table}/authorizedViews/{view}"),
                table: String::new(),
                app_profile,
            },
        }
    }
}

/// A table or an authorized view of one by its name, the other being empty, and the ID of the app
/// profile.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) table: String,
    pub(crate) view: String,
    pub(crate) app_profile: String,
}

/// The name of the table and the ID of the view in the name of an authorized view.
pub(crate) fn split_view(name: &str) -> Option<(&str, &str)> {
    name.split_once("/authorizedViews/")
}

/// A table's ID from its name; a name of another form is returned unchanged.
pub(crate) fn table_id(name: &str) -> &str {
    let (_, id) = name.rsplit_once("/tables/").unwrap_or(("", name));
    split_view(id).map_or(id, |(table, _)| table)
}

/// The instance's name and the table's ID in the name of a table; `None` if it does not have the
/// form above.
#[cfg(feature = "server")]
pub(crate) fn split_table(name: &str) -> Option<(&str, &str)> {
    let (instance, table) = name.split_once("/tables/")?;
    let valid = is_instance(instance) && !table.is_empty() && !table.contains('/');
    valid.then_some((instance, table))
}

/// Whether this is the name of an instance.
#[cfg(feature = "server")]
pub(crate) fn is_instance(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.next() == Some("projects")
        && parts.next().is_some_and(|project| !project.is_empty())
        && parts.next() == Some("instances")
        && parts.next().is_some_and(|instance| !instance.is_empty())
        && parts.next().is_none()
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(
            split_table("projects/p/instances/i/tables/t"),
            Some(("projects/p/instances/i", "t"))
        );
        for name in [
            "",
            "t",
            "/tables/",
            "projects/p/instances/i",
            "projects/p/instances/i/tables/",
            "projects//instances/i/tables/t",
            "projects/p/instances//tables/t",
            "projects/p/instances/i/x/tables/t",
            "projects/p/instances/i/tables/t/x",
        ] {
            assert_eq!(split_table(name), None, "{name}");
        }
    }
}
