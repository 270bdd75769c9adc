#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use futures::executor::block_on;
use proptest::prelude::*;

use super::{Budget, Matcher, Memories, RegexError};
use crate::memory::steps::{Steps, TURN, TooMany, taken};

fn compiled(pattern: &[u8]) -> Result<Matcher, RegexError> {
    Matcher::new(pattern, &mut Budget::new(1))
}

fn asked(matcher: &Matcher, text: &[u8]) -> bool {
    let (mut memories, mut steps) = (Memories::default(), Steps::default());
    block_on(matcher.matches(text, &mut memories, &mut steps)).unwrap()
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match compiled(pattern) {
        Ok(matcher) => asked(&matcher, text),
        Err(error) => panic!("{}: {error}", pattern.escape_ascii()),
    }
}

fn check(table: &[(&str, &[u8], bool)]) {
    for (pattern, text, expected) in table {
        let got = matches(pattern.as_bytes(), text);
        assert_eq!(got, *expected, "{pattern} on {}", text.escape_ascii());
    }
}

#[test]
fn whole_texts_match() {
    check(&[
        ("", b"", true),
        ("", b"a", false),
        ("a|", b"", true),
        ("ab|cd", b"ab", true),
        ("ab|cd", b"abd", false),
        ("a(b|c)d", b"acd", true),
        ("a(?:b|c)*", b"abcb", true),
        ("(ab)+", b"abab", true),
        ("(ab)+", b"aba", false),
        ("a$|b", b"a", true),
        (r"\Aa\z", b"a", true),
        (r"a\b.\Bb", b"a b", false),
        (r"a\b b", b"a b", true),
        (r"ab\B", b"ab", false),
        ("^*a", b"a", true),
    ]);
}

#[test]
fn classes() {
    check(&[
        (".", b"\n", false),
        ("(?s).", b"\n", true),
        (r"\C", b"\n", true),
        (r"\C", b"\xff", true),
        ("[^a]", b"\n", true),
        ("[^a]", b"\xff", true),
        (r"[\d-z]", b"-", true),
        (r"[\d-z]", b"7", true),
        (r"[\d-z]", b"y", false),
        ("[x&&[y]]", b"&]", true),
        ("[x&&[y]]", b"[]", true),
        ("[x&&[y]]", b"y", false),
        ("[]a]", b"]", true),
        ("[^]a]", b"]", false),
        ("[a-]", b"-", true),
        ("[-a]", b"-", true),
        ("[a-c-e]", b"-", true),
        ("[a-c-e]", b"d", false),
        (r"[\x00-\x1f]", b"\x07", true),
        (r"[\]\\]", b"\\", true),
        ("[[:alpha:]_]+", b"aZ_", true),
        ("[[:^alpha:]]", b"a", false),
        ("[[:space:]]", b"\x0b", true),
        (r"\s", b"\x0b", false),
        (r"[\s]", b"\x0c", true),
        ("[[:word:]]+", b"a_1", true),
        ("[:alpha:]+", b"alpha:", true),
        (r"[^\x00-\xff]", b"a", false),
        (r"\D\S\W", b"aa-", true),
    ]);
}

#[test]
fn bytes_are_characters_of_latin_1() {
    check(&[
        ("\u{e9}", b"\xc3\xa9", true),
        ("..", b"\xc3\xa9", true),
        (r"\x{e9}", b"\xe9", true),
        (r"\xe9", b"\xe9", true),
        (r"\351", b"\xe9", true),
        (r"\pL", b"\xe9", true),
        (r"\pL", b"\xd7", false),
        (r"\p{Lu}+", b"A\xc9", true),
        (r"\PL", b"1", true),
        (r"\p{^L}", b"1", true),
        (r"\P{^L}", b"1", false),
        (r"\pN+", b"1\xb2\xbd", true),
        (r"[\pN\pL]+", b"a1", true),
        (r"\p{Latin}", b"\xe9", true),
        (r"\p{Greek}", b"a", false),
        (r"\w", b"\xe9", false),
        (r"\b\xe9", b"\xe9", false),
    ]);
    assert!(
        matches(b"\xe9+", b"\xe9\xe9"),
        "a pattern need not be UTF-8"
    );
    assert!(matches(b"[\xe0-\xe9]", b"\xe5"));
}

#[test]
fn flags() {
    check(&[
        ("(?i)aB", b"Ab", true),
        ("a(?i)b", b"aB", true),
        ("a(?i)b", b"AB", false),
        ("(?i:a)b", b"Ab", true),
        ("(?i:a)b", b"AB", false),
        ("((?i)a)b", b"aB", false),
        ("(?i)a|b", b"B", true),
        ("(?i-i)a", b"A", false),
        ("(?i)[a-c]", b"B", true),
        ("(?i)[^a]", b"A", false),
        ("(?i)[[:upper:]]", b"a", true),
        ("(?i)[[:^upper:]]", b"a", false),
        // é in UTF-8 is Ã and ©: Ã has another case, © has not.
        ("(?i)\u{e9}", b"\xe3\xa9", true),
        (r"(?i)\xe9", b"\xc9", true),
        (r"(?i)\xf7", b"\xd7", false),
        (r"(?i)\p{Lu}", b"a", true),
        ("(?i)k", b"\xe2\x84\xaa", false),
        ("a\n^b", b"a\nb", false),
        ("(?m)a$\n^b", b"a\nb", true),
        ("(?U)a+", b"aa", true),
        ("(?sm).^a", b"\na", true),
    ]);
}

#[test]
fn repetitions_and_escapes() {
    check(&[
        ("a{2}", b"aa", true),
        ("a{2,}", b"aaaa", true),
        ("a{1,2}?", b"aa", true),
        ("a{0}", b"", true),
        ("a{,2}", b"a{,2}", true),
        ("a{", b"a{", true),
        ("a{1", b"a{1", true),
        ("a{01}", b"a{01}", true),
        ("a{x}", b"a{x}", true),
        ("{,2}", b"{,2}", true),
        ("a{1000}", &[b'a'; 1_000], true),
        ("a*?", b"aa", true),
        ("a??b+?", b"abb", true),
        (r"\Qa*b\E", b"a*b", true),
        (r"\Qab\E+", b"abb", true),
        (r"\Qa\b", b"a\\b", true),
        (r"\Q\E", b"", true),
        (r"(?i)\QaB\E", b"Ab", true),
        (r"\a\f\n\r\t\v", b"\x07\x0c\n\r\t\x0b", true),
        (r"\101\07\0", b"A\x07\0", true),
        (r"\.\_\-\/\#", b"._-/#", true),
        (r"\x{41}\x41", b"AA", true),
        ("(?P<n>a)(?P<m>b)", b"ab", true),
        ("(a{10}){10}", &[b'a'; 100], true),
    ]);
}

#[test]
fn re2_refuses() {
    for pattern in [
        "(?<n>a)",
        "a{1001}",
        "a++",
        "a**",
        "a*+",
        "a{2}{3}",
        "a{2}*",
        "a???",
        r"\u0061",
        "(?x)a",
        "(?u)a",
        "(?R)",
        "(?-u:a)",
        "[a--b]",
        "[z-a]",
        r"[a-\d]",
        "a{2,1}",
        "(a{100}){11}",
        "((a{100}){10}){2}",
        "(?P<n>a)(?P<n>b)",
        "(?P<>a)",
        "(?P<a-b>c)",
        "(?P=n)",
        "(?P>n)",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?#c)",
        "(?i",
        "(?",
        "(?i-)a",
        "(?--i)a",
        "(",
        ")",
        "a)",
        "(a",
        "[a",
        "[",
        "[]",
        "*",
        "+a",
        "?",
        "{2}",
        "a|*",
        "(*)",
        "(?i)*",
        r"\",
        r"\1",
        r"\8",
        r"\777",
        r"\Z",
        r"\G",
        r"\E",
        r"\y",
        r"\cA",
        r"\e",
        r"\x",
        r"\x4",
        r"\xg0",
        r"\x{}",
        r"\x{100}",
        r"\x{+1}",
        r"\x{41",
        r"\p",
        r"\pX",
        r"\p{",
        r"\p{Lx}",
        r"\p{greek}",
        r"\p{}",
        r"\p{Letter}",
        r"\p{Script=Greek}",
        "[[:nope:]]",
        r"[\b]",
        r"[\C]",
        r"[\Qa\E]",
        r"[\z]",
    ] {
        let got = compiled(pattern.as_bytes());
        assert!(got.is_err(), "{pattern} was taken as {got:?}");
    }
}

#[test]
fn messages_name_the_place() {
    let message = |pattern: &str| compiled(pattern.as_bytes()).unwrap_err().to_string();
    assert_eq!(message("a**"), "bad repetition operator: **");
    assert_eq!(message("a|*"), "no argument for repetition operator: *");
    assert_eq!(message("[z-a]"), "invalid character class range: z-a");
    assert_eq!(message(r"\p{Lx}"), r"invalid character class range: \p{Lx}");
    assert_eq!(message(r"\y"), r"invalid escape sequence: \y");
    assert_eq!(message("a{1001}"), "invalid repetition size: {1001}");
}

#[test]
fn literals_need_no_regex() {
    let literals = |pattern: &str| match compiled(pattern.as_bytes()) {
        Ok(Matcher::Literals(literals)) => Some(literals),
        _ => None,
    };
    assert_eq!(
        literals(r"BID|ASK|a\.b"),
        Some(vec![b"ASK".to_vec(), b"BID".to_vec(), b"a.b".to_vec()])
    );
    assert_eq!(literals(""), Some(vec![Vec::new()]));
    assert_eq!(literals("a.b"), None);
}

#[test]
fn deep_patterns_are_refused_and_do_not_overflow() {
    let nested = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
    assert!(matches(nested(200).as_bytes(), b"a"));
    let error = compiled(nested(20_000).as_bytes()).unwrap_err();
    assert_eq!(error, RegexError::TooDeep(200));
}

/// Patterns in the part of the syntax that means the same in both.
fn common() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[abc]",
        Just(".".to_owned()),
        "\\[[abc]{1,2}\\]",
        "\\[\\^[ab]\\]"
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let repeat = prop_oneof![Just("*"), Just("+"), Just("?"), Just("{2}"), Just("{1,2}")];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 1..4)
                .prop_map(|parts| format!("(?:{})", parts.join("|"))),
            (inner, repeat).prop_map(|(part, repeat)| format!("({part}){repeat}")),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_or_refused(pattern in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = compiled(&pattern);
    }

    /// What the parser accepts renders to a form that the regex crate accepts.
    #[test]
    fn what_is_parsed_can_be_executed(pattern in r"[ab\\QEdwpPLxi0-7{}\[\]()?*+|^$:.,-]{0,24}") {
        let got = compiled(pattern.as_bytes());
        prop_assert!(!matches!(got, Err(RegexError::TooLarge)), "{}", pattern);
    }

    /// Also if the states of the automaton are dropped all the time.
    #[test]
    fn agrees_with_the_regex_crate(
        pattern in common(),
        text in "[abc\n]{0,6}",
        many in 1..100_000_usize,
    ) {
        let expected = ::regex::bytes::RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
            .unicode(false)
            .build()
            .unwrap()
            .is_match(text.as_bytes());
        let matcher = Matcher::new(pattern.as_bytes(), &mut Budget::new(many)).unwrap();
        prop_assert_eq!(asked(&matcher, text.as_bytes()), expected, "{}", pattern);
    }
}

/// Patterns on which the regex crate's own parser differs, so they are parsed here.
#[test]
fn the_regex_crate_reads_some_patterns_otherwise() {
    let by_the_crate = |pattern: &str, text: &str| {
        let regex = ::regex::bytes::RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
            .unicode(false)
            .octal(true)
            .build();
        regex.ok().map(|regex| regex.is_match(text.as_bytes()))
    };
    let here = |pattern: &str, text: &str| {
        let matcher = compiled(pattern.as_bytes());
        matcher.ok().map(|one| asked(&one, text.as_bytes()))
    };
    // RE2's result for a text; `None` if it refuses the pattern.
    let patterns = [
        (r"\Q.\E", ".", Some(true)),
        (r"\C", "a", Some(true)),
        ("{", "{", Some(true)),
        (r"\pL", "a", Some(true)),
        ("a{,2}", "a{,2}", Some(true)),
        ("[a&&b]", "&", Some(true)),
        ("[[a]b]", "[b]", Some(true)),
        ("a**", "aa", None),
        ("(?x)a b", "ab", None),
        (r"\<a", "<a", Some(true)),
        ("a{1001}", "a", None),
    ];
    for (pattern, text, expected) in patterns {
        assert_eq!(here(pattern, text), expected, "{pattern}");
        assert_ne!(by_the_crate(pattern, text), expected, "{pattern}");
    }
}

/// The steps between two yields for all of a text, and whether it matches.
fn turns(pattern: &[u8], text: &[u8]) -> (Vec<usize>, bool) {
    let matcher = compiled(pattern).unwrap();
    let (mut memories, mut steps) = (Memories::default(), Steps::default());
    let mut matching = pin!(matcher.matches(text, &mut memories, &mut steps));
    let mut turns = Vec::new();
    loop {
        let before = taken::so_far();
        let polled = matching
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        turns.push(taken::so_far() - before);
        if let Poll::Ready(matches) = polled {
            return (turns, matches.unwrap());
        }
    }
}

#[test]
fn long_texts_and_patterns_of_many_states_give_way() {
    let simple = vec![b'a'; 4 << 20];
    let (all, matches) = turns(b"a+b?", &simple);
    assert!(matches);
    assert!(all.len() > 3, "{} turns", all.len());
    assert!(all.iter().all(|turn| *turn <= TURN + TURN / 8), "{all:?}");

    // A state for each position where the text may have had an `a`: a new one for nearly every
    // byte.
    let mut state = 1_u32;
    let mixed = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ab"[usize::from(state >> 31 != 0)]
    });
    let mixed: Vec<_> = mixed.take(20_000).collect();
    let (all, matches) = turns(b"(a|b)*a(a|b){900}", &mixed);
    assert_eq!(matches, mixed[mixed.len() - 901] == b'a');
    assert!(all.len() > 10, "{} turns", all.len());
    assert!(all.iter().all(|turn| *turn <= TURN + TURN / 8), "{all:?}");
}

#[test]
fn what_patterns_take_together_is_bounded() {
    let mut budget = Budget::new(100);
    let large = |budget: &mut Budget| Matcher::new(b"(a.{200}){5}", budget);
    let taken = (0..100_000)
        .take_while(|_| large(&mut budget).is_ok())
        .count();
    assert!((20..10_000).contains(&taken), "{taken}");
    assert_eq!(large(&mut budget).unwrap_err(), RegexError::TooLarge);
}

#[test]
fn a_text_takes_no_more_steps_than_there_are() {
    let matcher = compiled(b"a+").unwrap();
    let (mut memories, mut steps) = (Memories::default(), Steps::default());
    steps.begin_row(1_000);
    let text = vec![b'a'; 1 << 20];
    let matching = matcher.matches(&text, &mut memories, &mut steps);
    assert_eq!(block_on(matching), Err(TooMany(1_000)));
}
