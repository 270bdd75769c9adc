//! Garbage-collection rules; the names of variants are those of the runtime's `GcRule`.

/// The rule of a family.
pub(crate) struct FamilyRule {
    pub(crate) family: String,
    pub(crate) rule: GcRule,
}

/// Which cells may be deleted.
pub(crate) enum GcRule {
    /// All but this many of the newest cells of a column; 1 or more.
    MaxVersions(i32),
    /// Cells older than this many milliseconds; 1 or more.
    MaxAge(u64),
    /// Cells that any of the rules deletes; two rules at least.
    Union(Vec<GcRule>),
    /// Cells that each of the rules deletes; two rules at least.
    Intersection(Vec<GcRule>),
}

impl GcRule {
    /// How many of the newest versions of a column are safe from rules that count; `None` if no
    /// cell is deleted by its number alone.
    pub(crate) fn kept_by_number(&self) -> Option<u64> {
        let kept = |rules: &[Self]| -> Vec<_> { rules.iter().map(Self::kept_by_number).collect() };
        match self {
            Self::MaxVersions(versions) => u64::try_from(*versions).ok(),
            Self::MaxAge(_) => None,
            Self::Union(rules) => kept(rules).into_iter().flatten().min(),
            // A cell is deleted once there are enough versions for each rule; `None` if a rule
            // needs an age.
            Self::Intersection(rules) => {
                let kept: Option<Vec<_>> = kept(rules).into_iter().collect();
                kept?.into_iter().max()
            }
        }
    }

    /// Whether it deletes cells by age, whatever their number: even the newest of a column.
    pub(crate) fn deletes_newest(&self) -> bool {
        match self {
            Self::MaxVersions(_) => false,
            Self::MaxAge(_) => true,
            Self::Union(rules) => rules.iter().any(Self::deletes_newest),
            Self::Intersection(rules) => rules.iter().all(Self::deletes_newest),
        }
    }

    /// The bytes of the rule in Bigtable's own form.
    pub(crate) fn wire_bytes(&self) -> u64 {
        match self {
            Self::MaxVersions(versions) => 1 + varint(u64::from(versions.unsigned_abs())),
            Self::MaxAge(millis) => field(number(millis / 1_000) + number(nanos(*millis))),
            Self::Union(rules) | Self::Intersection(rules) => {
                field(rules.iter().map(|rule| field(rule.wire_bytes())).sum())
            }
        }
    }
}

/// The nanoseconds besides whole seconds.
fn nanos(millis: u64) -> u64 {
    millis % 1_000 * 1_000_000
}

/// A message of this size as a field: tag, length, content.
fn field(bytes: u64) -> u64 {
    1 + varint(bytes) + bytes
}

/// A number as a field: tag and value, and nothing for 0.
fn number(value: u64) -> u64 {
    if value == 0 { 0 } else { 1 + varint(value) }
}

/// Seven bits a byte.
fn varint(value: u64) -> u64 {
    let bits = u64::from(u64::BITS - value.leading_zeros());
    bits.div_ceil(7).max(1)
}

#[cfg(test)]
mod tests {
    use super::GcRule::{self, Intersection, MaxAge, MaxVersions, Union};

    #[test]
    fn what_goes_by_its_number_alone() {
        let kept = |rule: GcRule| rule.kept_by_number();
        let pair = |versions| vec![MaxVersions(versions), MaxAge(1)];
        assert_eq!(kept(MaxVersions(3)), Some(3));
        assert_eq!(kept(MaxAge(1)), None);
        assert_eq!(kept(Union(pair(3))), Some(3));
        assert_eq!(kept(Intersection(pair(3))), None);
        let nested = vec![Intersection(pair(3)), MaxVersions(9), Union(pair(7))];
        assert_eq!(kept(Union(nested)), Some(7));
        let nested = vec![Union(pair(3)), MaxVersions(9)];
        assert_eq!(kept(Intersection(nested)), Some(9));
    }

    #[test]
    fn what_deletes_the_newest() {
        let pair = || vec![MaxVersions(1), MaxAge(1)];
        assert!(MaxAge(1).deletes_newest() && !MaxVersions(1).deletes_newest());
        assert!(Union(pair()).deletes_newest() && !Intersection(pair()).deletes_newest());
        assert!(Intersection(vec![Union(pair()), MaxAge(2)]).deletes_newest());
    }

    /// Counted by hand: a tag and a length each, 86,400 takes three bytes, 500,000,000 five.
    #[test]
    fn bytes_on_the_wire() {
        assert_eq!(MaxVersions(1).wire_bytes(), 2);
        assert_eq!(MaxVersions(128).wire_bytes(), 3);
        assert_eq!(MaxAge(86_400_000).wire_bytes(), 2 + 4);
        assert_eq!(MaxAge(500).wire_bytes(), 2 + 6);
        let both = vec![MaxVersions(1), MaxAge(86_400_000)];
        assert_eq!(Union(both).wire_bytes(), 2 + (2 + 2) + (2 + 6));
    }
}
