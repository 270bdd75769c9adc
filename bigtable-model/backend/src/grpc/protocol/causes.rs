//! Errors with their causes.

use std::error::Error;

/// The error's text, and those of its causes that it does not repeat.
pub(in crate::grpc) fn with_causes(error: &dyn Error) -> String {
    text_with_causes(error.to_string(), error.source())
}

/// The error, and its causes one by one.
pub(in crate::grpc) fn chain<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// A text, and those of the causes that it does not repeat.
pub(in crate::grpc) fn text_with_causes(
    mut text: String,
    mut cause: Option<&(dyn Error + 'static)>,
) -> String {
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Box<Link>>,
    }

    #[test]
    fn causes_follow_and_none_is_said_twice() {
        let refused = Link {
            text: "refused",
            source: None,
        };
        let connect = Link {
            text: "cannot connect",
            source: Some(Box::new(refused)),
        };
        let repeated = Link {
            text: "connect",
            source: Some(Box::new(connect)),
        };
        assert_eq!(with_causes(&repeated), "connect: cannot connect: refused");
        let outer = Link {
            text: "sending: cannot connect",
            source: Some(Box::new(repeated)),
        };
        assert_eq!(with_causes(&outer), "sending: cannot connect: refused");
    }
}
