//! Answers that are not valid messages.

use bigtable_model::backend::grpc::{GrpcBackend, GrpcSettings};
use bigtable_model::data::ReadRows;
use bigtable_model::{Backend, Code};
use bigtable_model_tests::canned::{Canned, CannedRow, message};
use bytes::Bytes;
use futures::{StreamExt as _, stream};

/// Earlier rows are delivered; the read is not repeated, since the answer would be the same.
#[tokio::test]
async fn a_read_ends_where_an_answer_can_not_be_decoded() {
    let rows = ["a", "b"].map(|key| CannedRow {
        key: key.into(),
        timestamp_micros: 0,
        cells: vec![("q".into(), "v".into())],
    });
    let good = message("f", rows);
    let cut = good.slice(..good.len() - 3);
    for (messages, delivered) in [
        (vec![good, Bytes::from_static(b"\x0b")], 2),
        (vec![cut], 1),
        (vec![Bytes::from_static(b"\x0a")], 0),
    ] {
        let server = Canned::new(move || stream::iter(messages.clone()).boxed());
        let settings = GrpcSettings::new("p", "i").emulator(server.start());
        let db = GrpcBackend::new(&settings).unwrap();
        let read: Vec<_> = db.read_rows(ReadRows::default()).rows().collect().await;
        assert_eq!(read.len(), delivered + 1);
        assert!(read[..delivered].iter().all(Result::is_ok));
        let error = read[delivered].as_ref().unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.contains("cannot be decoded"), "{error}");
    }
}
