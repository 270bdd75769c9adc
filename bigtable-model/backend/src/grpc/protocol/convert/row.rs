use super::family_name;
use crate::data::{Cell, Row, limits};
use crate::grpc::protocol::wire;
use crate::{Code, Status};

impl From<Row> for wire::Row {
    /// Cells of one column are adjacent in a [`Row`], and so are columns of one family.
    fn from(row: Row) -> Self {
        let mut families: Vec<wire::Family> = Vec::new();
        for cell in row.cells {
            let name = cell.family.into_bytes();
            if families.last().is_none_or(|family| family.name != name) {
                families.push(wire::Family {
                    name,
                    columns: Vec::new(),
                });
            }
            if let Some(family) = families.last_mut() {
                push(
                    family,
                    cell.qualifier,
                    wire::Cell {
                        timestamp_micros: cell.timestamp_micros,
                        value: cell.value,
                        labels: cell.labels,
                    },
                );
            }
        }
        Self {
            key: row.key,
            families,
        }
    }
}

fn push(family: &mut wire::Family, qualifier: bytes::Bytes, cell: wire::Cell) {
    match family.columns.last_mut() {
        Some(column) if column.qualifier == qualifier => column.cells.push(cell),
        _ => family.columns.push(wire::Column {
            qualifier,
            cells: vec![cell],
        }),
    }
}

impl wire::Row {
    /// Refuses the row of another key, in the answer to a write of this one. Some servers name no
    /// key.
    pub(crate) fn of(self, key: &[u8]) -> Result<Self, Status> {
        match self.key.is_empty() || self.key == key {
            true => Ok(self),
            false => Err(Status::new(
                Code::Internal,
                format!(
                    "the server broke the protocol: it answered a write of row {} with row {}, so whether the write was applied is not known",
                    limits::shown(key),
                    limits::shown(&self.key)
                ),
            )),
        }
    }
}

impl TryFrom<wire::Row> for Row {
    type Error = Status;

    fn try_from(row: wire::Row) -> Result<Self, Status> {
        let mut cells = Vec::new();
        for family in row.families {
            let name = family_name(family.name)?;
            for column in family.columns {
                cells.extend(column.cells.into_iter().map(|cell| Cell {
                    family: name.clone(),
                    qualifier: column.qualifier.clone(),
                    timestamp_micros: cell.timestamp_micros,
                    value: cell.value,
                    labels: cell.labels,
                }));
            }
        }
        Ok(Self {
            key: row.key,
            cells,
        })
    }
}
