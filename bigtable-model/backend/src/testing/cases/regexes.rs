//! Regexes: RE2's syntax, over bytes, matched in full.

use bytes::Bytes;

use super::cases;
use crate::Code;
use crate::data::{Mutation, RowFilter};
use crate::testing::expect::{CaseResult, expect_code, expect_eq};
use crate::testing::scratch::{Scratch, set};

cases! { "regexes":
    match_in_full,
    a_dot_is_any_byte_but_a_newline,
    bytes_are_characters,
    syntax_of_re2,
    syntax_that_re2_refuses,
}

/// Whether the pattern matches a value of these bytes.
async fn matches(
    t: &Scratch<'_>,
    pattern: &str,
    value: &'static [u8],
) -> Result<bool, crate::Status> {
    let write = Mutation::SetCell {
        family: "f".into(),
        qualifier: Bytes::from_static(b"q"),
        timestamp_micros: 1_000,
        value: Bytes::from_static(value),
    };
    t.mutate("r", vec![write]).await?;
    let regex = Bytes::copy_from_slice(pattern.as_bytes());
    let cells = t.filtered("r", Some(RowFilter::ValueRegex(regex))).await?;
    Ok(!cells.is_empty())
}

async fn expect_matches(t: &Scratch<'_>, table: &[(&str, &'static [u8], bool)]) -> CaseResult {
    for (pattern, value, expected) in table {
        let got = matches(t, pattern, value).await?;
        let what = format!("{pattern} on \"{}\"", value.escape_ascii());
        expect_eq(&what, &got, expected)?;
    }
    Ok(())
}

async fn match_in_full(t: &Scratch<'_>) -> CaseResult {
    let table: [(&str, &'static [u8], bool); 6] = [
        ("ab", b"ab", true),
        ("a", b"ab", false),
        ("b", b"ab", false),
        ("a|ab", b"ab", true),
        ("a.*", b"abc", true),
        ("^ab$", b"ab", true),
    ];
    expect_matches(t, &table).await
}

async fn a_dot_is_any_byte_but_a_newline(t: &Scratch<'_>) -> CaseResult {
    let table: [(&str, &'static [u8], bool); 5] = [
        ("a.b", b"a\nb", false),
        (r"a\Cb", b"a\nb", true),
        ("(?s)a.b", b"a\nb", true),
        ("a.b", b"a\xffb", true),
        ("a[^x]b", b"a\nb", true),
    ];
    expect_matches(t, &table).await
}

async fn bytes_are_characters(t: &Scratch<'_>) -> CaseResult {
    let table: [(&str, &'static [u8], bool); 5] = [
        ("\u{e9}", b"\xc3\xa9", true),
        ("..", b"\xc3\xa9", true),
        (".", b"\xc3\xa9", false),
        (r"\xff\x00", b"\xff\x00", true),
        (r"\x{e9}", b"\xe9", true),
    ];
    expect_matches(t, &table).await
}

async fn syntax_of_re2(t: &Scratch<'_>) -> CaseResult {
    let table: [(&str, &'static [u8], bool); 12] = [
        (r"\d{3}\D", b"123a", true),
        (r"[[:alpha:]]+", b"abc", true),
        (r"[^[:digit:]]", b"1", false),
        ("(?i)AbC", b"aBc", true),
        ("a{,2}", b"a{,2}", true),
        (r"[\d-z]+", b"1-z", true),
        ("[x&&[y]]", b"&]", true),
        (r"\Qa.b\E+", b"a.bb", true),
        ("(?P<name>a)b", b"ab", true),
        ("a*?b??", b"aab", true),
        ("[]a]+", b"]a", true),
        (r"\101\07", b"A\x07", true),
    ];
    expect_matches(t, &table).await
}

async fn syntax_that_re2_refuses(t: &Scratch<'_>) -> CaseResult {
    t.mutate("r", vec![set("f", "q", 1_000, "v")]).await?;
    for pattern in [
        "a{1001}",
        "a++",
        "a**",
        r"\u0061",
        "(?x)a",
        "(?u)a",
        "(?R)",
        "(?-u:a)",
        "[a--b]",
        "(",
        ")",
        "[",
        "*a",
        r"\",
        r"\1",
        "(?=a)",
        "(?P=n)",
        "[b-a]",
        r"\pX",
        "[[:word2:]]",
    ] {
        let regex = Bytes::copy_from_slice(pattern.as_bytes());
        let got = t.filtered("r", Some(RowFilter::ValueRegex(regex))).await;
        expect_code(pattern, got, Code::InvalidArgument)?;
    }
    Ok(())
}
