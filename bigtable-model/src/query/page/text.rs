//! Bytes as text for URLs: base64 with `-` and `_`, without padding (RFC 4648, section 5).

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let group = three
            .iter()
            .chain(&[0, 0])
            .take(3)
            .fold(0_u32, |group, byte| group << 8 | u32::from(*byte));
        for letter in 0..=three.len() {
            let index = group >> (18 - 6 * letter) & 63;
            let letter = usize::try_from(index)
                .ok()
                .and_then(|index| LETTERS.get(index));
            text.extend(letter.map(|letter| char::from(*letter)));
        }
    }
    text
}

/// `None` for text that [`encode`] does not write.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.as_bytes().chunks(4) {
        let mut group = 0_u32;
        for letter in four {
            let index = LETTERS.iter().position(|one| one == letter)?;
            group = group << 6 | u32::try_from(index).ok()?;
        }
        let missing = 4 - four.len();
        group <<= 6 * missing;
        let [_, decoded @ ..] = group.to_be_bytes();
        bytes.extend_from_slice(decoded.get(..3_usize.checked_sub(missing)?)?);
    }
    (encode(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    #[test]
    fn the_letters_of_the_standard() {
        for (bytes, text) in [
            (b"".as_slice(), ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg"),
            (b"\xfb\xff", "-_8"),
        ] {
            assert_eq!(super::encode(bytes), text);
            assert_eq!(super::decode(text).as_deref(), Some(bytes));
        }
        for text in ["Z", "Zh", "Zm9", "Zg==", "Z+", "ä"] {
            assert_eq!(super::decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            prop_assert_eq!(super::decode(&super::encode(&bytes)), Some(bytes));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            let _ = super::decode(&text);
        }
    }
}
