//! The tables of an instance, page by page.

use std::collections::HashSet;

use crate::grpc::channel::instance::Instance;
use crate::grpc::protocol::names::table_id;
use crate::grpc::protocol::request::Sent;
use crate::grpc::protocol::wire::{ListTablesRequest, ListTablesResponse, VIEW_NAME_ONLY};
use crate::grpc::retry::operation::Operation;
use crate::{Code, Status};

/// The IDs of all tables, in order. All pages share the operation's deadline.
pub(crate) async fn tables(
    instance: &Instance,
    operation: &mut Operation,
) -> Result<Vec<String>, Status> {
    let mut ids = Vec::new();
    let mut tokens = HashSet::new();
    let mut token = String::new();
    loop {
        let page = page(instance, operation, std::mem::take(&mut token)).await?;
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

async fn page(
    instance: &Instance,
    operation: &mut Operation,
    page_token: String,
) -> Result<ListTablesResponse, Status> {
    let sent = Sent::new(&ListTablesRequest {
        parent: instance.name.as_str().to_owned(),
        view: VIEW_NAME_ONLY,
        page_token,
        page_size: 0,
    })?;
    operation
        .request(|call| {
            let sent = &sent;
            async move { instance.transport.unary(&call, sent).await }
        })
        .await
}

/// A repeated page token would make the pages endless.
fn repeated(token: &str) -> Status {
    let token = token.escape_debug();
    Status::new(
        Code::Internal,
        format!("the server gave the page token \"{token}\" of its tables twice"),
    )
}
