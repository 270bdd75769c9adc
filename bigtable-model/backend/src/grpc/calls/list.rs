//! The tables of an instance, page by page.

use std::collections::HashSet;

use super::client::Client;
use crate::grpc::protocol::names::table_id;
use crate::grpc::retry::operation::Operation;
use crate::{Code, Status};

/// The IDs of all tables, in order. All pages share the operation's deadline.
pub(crate) async fn tables(
    client: &Client,
    operation: &mut Operation,
) -> Result<Vec<String>, Status> {
    let mut ids = Vec::new();
    let mut tokens = HashSet::new();
    let mut token = String::new();
    loop {
        let page = operation.request(|call| {
            let token = token.clone();
            async move { client.list_tables(&call, token).await }
        });
        let page = page.await?;
        ids.extend(
            page.tables
                .iter()
                .map(|table| table_id(&table.name).to_owned()),
        );
        if page.next_page_token.is_empty() {
            break;
        }
        token = page.next_page_token;
        if !tokens.insert(token.clone()) {
            return Err(repeated(&token));
        }
        operation.next_request();
    }
    ids.sort_unstable();
    Ok(ids)
}

/// A repeated page token would make the pages endless.
fn repeated(token: &str) -> Status {
    let token = token.escape_debug();
    Status::new(
        Code::Internal,
        format!("the server gave the page token \"{token}\" of its tables twice"),
    )
}
