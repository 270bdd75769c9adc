//! Lower-case hexadecimal digits, and UUIDs in them.

/// The positions of the hyphens, as lengths of the groups in bytes.
const UUID_GROUPS: [usize; 5] = [4, 2, 2, 2, 6];

/// The bytes of a hyphenated UUID.
pub(crate) const UUID_TEXT_BYTES: usize = 36;

/// Appends two digits for each byte.
#[inline]
pub(crate) fn push(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |nibble: u8| nibble + if nibble < 10 { b'0' } else { b'a' - 10 };
    out.extend(
        bytes
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]),
    );
}

/// Fills `bytes` from two digits each; `None` for other text.
#[inline]
pub(crate) fn parse(text: &[u8], bytes: &mut [u8]) -> Option<()> {
    let (pairs, []) = text.as_chunks::<2>() else {
        return None;
    };
    if pairs.len() != bytes.len() {
        return None;
    }
    let value = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = value(*high)? << 4 | value(*low)?;
    }
    Some(())
}

/// Appends a hyphenated UUID.
#[inline]
pub(crate) fn push_uuid(uuid: &[u8; 16], out: &mut Vec<u8>) {
    let mut rest = uuid.as_slice();
    for (at, group) in UUID_GROUPS.into_iter().enumerate() {
        if at > 0 {
            out.push(b'-');
        }
        let (group, after) = rest.split_at_checked(group).unwrap_or_default();
        push(group, out);
        rest = after;
    }
}

/// The bytes of a hyphenated UUID; `None` for other text.
pub(crate) fn parse_uuid(bytes: &[u8]) -> Option<[u8; 16]> {
    let mut rest = <&[u8; UUID_TEXT_BYTES]>::try_from(bytes).ok()?.as_slice();
    let mut parsed = [0; 16];
    let mut places = parsed.as_mut_slice();
    for (at, group) in UUID_GROUPS.into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(b"-")?;
        }
        let (text, after) = rest.split_at_checked(2 * group)?;
        let (place, others) = places.split_at_mut_checked(group)?;
        parse(text, place)?;
        (rest, places) = (after, others);
    }
    Some(parsed)
}
