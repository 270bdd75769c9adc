//! The kinds of credentials that a file can hold.

use std::env;
use std::ffi::OsString;

use google_cloud_auth::credentials::{
    Credentials, external_account, impersonated, service_account, user_account,
};
use serde_json::Value;

use crate::grpc::protocol::causes::with_causes;

const PAYER: &str = "GOOGLE_CLOUD_QUOTA_PROJECT";

/// The credentials that a file's text describes. A task of the runtime keeps them fresh.
pub(super) fn described(text: &str) -> Result<Credentials, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let kind = json.get("type").and_then(Value::as_str);
    let kind = kind.ok_or("it has no \"type\" that is a text")?.to_owned();
    let payer = quota_project()?;
    let built = match kind.as_str() {
        "authorized_user" => paid(
            payer,
            user_account::Builder::new(json),
            user_account::Builder::with_quota_project_id,
        )
        .build(),
        "service_account" => paid(
            payer,
            service_account::Builder::new(json),
            service_account::Builder::with_quota_project_id,
        )
        .build(),
        "impersonated_service_account" => paid(
            payer,
            impersonated::Builder::new(json),
            impersonated::Builder::with_quota_project_id,
        )
        .build(),
        "external_account" => paid(
            payer,
            external_account::Builder::new(json),
            external_account::Builder::with_quota_project_id,
        )
        .build(),
        kind => {
            return Err(format!(
                "its type is \"{kind}\", and not \"authorized_user\", \"service_account\", \"impersonated_service_account\" or \"external_account\""
            ));
        }
    };
    built.map_err(|error| with_causes(&error))
}

/// Sets the quota project, if there is one.
fn paid<B>(project: Option<String>, builder: B, set: fn(B, String) -> B) -> B {
    match project {
        Some(project) => set(builder, project),
        None => builder,
    }
}

/// The project that pays, if the environment names one.
pub(super) fn quota_project() -> Result<Option<String>, String> {
    let project = env::var_os(PAYER).map(OsString::into_string).transpose();
    project.map_err(|_| format!("{PAYER} is not valid Unicode"))
}
