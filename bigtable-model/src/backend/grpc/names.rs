//! Resource names: `projects/{project}/instances/{instance}/tables/{table}`.

use super::settings::GrpcSettings;

/// The name of an instance, and from it those of its tables.
#[derive(Debug, Clone)]
pub(crate) struct InstanceName(String);

impl InstanceName {
    pub(crate) fn new(settings: &GrpcSettings) -> Self {
        Self(format!(
            "projects/{}/instances/{}",
            settings.project, settings.instance
        ))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn table(&self, table: &str) -> String {
        format!("{}/tables/{table}", self.0)
    }
}

/// A table's ID from its name; a name of another form is given back as it is.
pub(crate) fn table_id(name: &str) -> &str {
    name.rsplit_once("/tables/").map_or(name, |(_, id)| id)
}
