//! Values that setters of columns and conditions accept.

use std::sync::Arc;

use bytes::Bytes;
use bytestring::ByteString;

/// A value for a column of type `T`: a `T`, without its `Option` if it has one, and `&str` or
/// `&[u8]` for text or bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of a column of type `{T}`",
    label = "not a `{T}`",
    note = "give a `{T}`, or make one of it: `u64::from(count)`"
)]
pub trait ColumnArg<T> {
    /// The value in the column's type.
    fn into_value(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> ColumnArg<T> for T {
    fn into_value(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> ColumnArg<Option<T>> for T {
    fn into_value(self) -> Option<T> {
        Some(self)
    }
}

macro_rules! borrowed {
    ($($borrowed:ty, $($owned:ty),*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl ColumnArg<$owned> for &$borrowed {
            fn into_value(self) -> $owned {
                self.to_owned().into()
            }
        }

        #[diagnostic::do_not_recommend]
        impl ColumnArg<Option<$owned>> for &$borrowed {
            fn into_value(self) -> Option<$owned> {
                Some(self.to_owned().into())
            }
        }
    )*)*};
}

macro_rules! arrays {
    ($($owned:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<const LEN: usize> ColumnArg<$owned> for &[u8; LEN] {
            fn into_value(self) -> $owned {
                self.as_slice().into_value()
            }
        }

        #[diagnostic::do_not_recommend]
        impl<const LEN: usize> ColumnArg<Option<$owned>> for &[u8; LEN] {
            fn into_value(self) -> Option<$owned> {
                self.as_slice().into_value()
            }
        }
    )*};
}

arrays!(Vec<u8>, Box<[u8]>, Arc<[u8]>, Bytes);

borrowed! {
    str, String, Box<str>, Arc<str>, ByteString;
    String, String, Box<str>, Arc<str>, ByteString;
    [u8], Vec<u8>, Box<[u8]>, Arc<[u8]>, Bytes;
}
