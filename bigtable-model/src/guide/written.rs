// Included by the examples of this page: the cells that an insert at `now` writes, one a line.
fn written<M: Model>(event: &M, now: Timestamp) -> Vec<String> {
    use bigtable_model::data::Mutation;

    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let row = bigtable_model::model::insert_mutations(event, now).unwrap();
    let cells = row.mutations.iter().filter_map(|change| match change {
        Mutation::SetCell { qualifier, timestamp_micros, value, .. } => {
            let at = Timestamp::from_micros(*timestamp_micros);
            Some(format!("{} = {} @ {at}", text(qualifier), text(value)))
        }
        _ => None,
    });
    cells.collect()
}
