//! Tokens sealed with the application's key.

use super::token::{PageToken, Progress, SEALED, Tokens, take_time};
use crate::Timestamp;
use crate::error::QueryError;
use crate::query::PageKey;

const FOREIGN: QueryError = QueryError::PageToken {
    reason: "it was not made with this key, or its text is damaged; ask for the first page again",
};

const OPEN: QueryError = QueryError::PageToken {
    reason: "it was made without a key; ask for the first page again",
};

const TOO_OLD: QueryError = QueryError::PageToken {
    reason: "it is older than the key allows; ask for the first page again",
};

const NO_RANDOM: QueryError = QueryError::PageToken {
    reason: "the system gives no random bytes to make one",
};

impl PageKey {
    /// The progress in a token that is read at some time.
    fn read_at(&self, token: &PageToken, now: Timestamp) -> Result<Progress, QueryError> {
        let sealed = token.sealed().ok_or(OPEN)?;
        let content = self.open(SEALED, sealed).ok_or(FOREIGN)?;
        let mut content = content.as_slice();
        let made = take_time(&mut content).ok_or(FOREIGN)?;
        if self
            .max_age
            .is_some_and(|age| made < now.saturating_sub(age))
        {
            return Err(TOO_OLD);
        }
        Progress::from_sealed(content).ok_or(FOREIGN)
    }

    fn write_at(&self, progress: &Progress, now: Timestamp) -> Result<PageToken, QueryError> {
        let mut content = now.as_micros().to_be_bytes().to_vec();
        content.extend(progress.to_sealed());
        let sealed = self.seal(SEALED, content).ok_or(NO_RANDOM)?;
        Ok(PageToken::of_sealed(sealed))
    }
}

impl Tokens for PageKey {
    fn read(&self, token: &PageToken) -> Result<Progress, QueryError> {
        self.read_at(token, Timestamp::now())
    }

    fn write(&self, progress: Progress) -> Result<PageToken, QueryError> {
        self.write_at(&progress, Timestamp::now())
    }

    fn keep_range(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may panic"
    )]

    use std::time::Duration;

    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;

    use super::super::token::tests::progress;
    use super::*;

    proptest! {
        #[test]
        fn what_is_sealed_comes_back_by_its_key_alone(progress in progress(), at: prop::sample::Index, bit in 0..8_u8) {
            let key = PageKey::new([1; 32]);
            let token = key.write(progress.clone()).unwrap();
            let text = token.to_string();
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            let parsed: PageToken = text.parse().unwrap();
            prop_assert_eq!(key.read(&parsed), Ok(progress.clone()));
            prop_assert_eq!(PageKey::new([2; 32]).accepting([1; 32]).read(&parsed), Ok(progress.clone()));
            prop_assert_eq!(PageKey::new([2; 32]).read(&parsed), Err(FOREIGN));
            // No two tokens are equal, and none contains the key of a row.
            prop_assert_ne!(&key.write(progress.clone()).unwrap(), &token);
            let mut sealed = token.sealed().unwrap().to_vec();
            if progress.place.key.len() > 3 {
                let shown = sealed.windows(progress.place.key.len());
                prop_assert!(shown.into_iter().all(|part| part != progress.place.key));
            }
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            let forged = PageToken::of_sealed([&[SEALED][..], &sealed].concat());
            prop_assert_eq!(key.read(&forged), Err(FOREIGN));
        }

        #[test]
        fn any_bytes_are_refused(bytes: Vec<u8>) {
            let token = PageToken::of_sealed([&[SEALED][..], &bytes].concat());
            prop_assert_eq!(PageKey::new([1; 32]).read(&token), Err(FOREIGN));
        }
    }

    #[test]
    fn a_token_has_an_age() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let progress = progress().new_tree(&mut runner).unwrap().current();
        let made = Timestamp::from_seconds(1_700_000_000);
        let (minute, later) = (Duration::from_secs(60), Duration::from_micros(60_000_001));
        let key = PageKey::new([1; 32]);
        let token = key.write_at(&progress, made).unwrap();
        let limited = key.clone().max_age(minute);
        assert_eq!(limited.read_at(&token, made + minute), Ok(progress.clone()));
        assert_eq!(limited.read_at(&token, made + later), Err(TOO_OLD));
        assert_eq!(key.read_at(&token, made + later), Ok(progress.clone()));
        // The clock of the server that made it was ahead.
        assert_eq!(limited.read_at(&token, made - minute), Ok(progress));
        let ever = key.max_age(Duration::MAX);
        assert!(ever.read_at(&token, made + later).is_ok());
    }

    #[test]
    fn the_key_is_not_shown() {
        assert_eq!(format!("{:?}", PageKey::new([200; 32])), "PageKey { .. }");
    }
}
