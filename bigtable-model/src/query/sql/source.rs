//! Where the values of a query come from.

/// The columns of the table that a query names.
#[derive(Debug)]
pub(super) enum Source {
    /// The table's rows: expressions are written where they are used.
    Rows,
    /// The unpacked cells of its rows: a subquery selects these expressions, by the names `c0`,
    /// `c1` and so on. The model's own names may be equal but for case, which SQL does not
    /// distinguish.
    Unpacked(Vec<String>),
}

impl Source {
    /// The selected expressions with their names.
    pub(super) fn named(selected: &[String]) -> Vec<String> {
        let named = selected.iter().enumerate();
        named
            .map(|(place, one)| format!("{one} AS c{place}"))
            .collect()
    }

    /// The name of a column or family of the table.
    pub(super) fn name(&mut self, expression: String) -> String {
        let selected = match self {
            Self::Rows => return expression,
            Self::Unpacked(selected) => selected,
        };
        let place = selected.iter().position(|one| *one == expression);
        let place = place.unwrap_or_else(|| {
            selected.push(expression);
            selected.len() - 1
        });
        format!("c{place}")
    }
}
