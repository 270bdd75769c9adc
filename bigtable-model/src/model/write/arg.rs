//! Values that setters of columns accept.

/// A value for a column of type `T`: a `T`, or a value that converts with [`Into`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of a column of type `{T}`",
    label = "not a `{T}`",
    note = "give a `{T}`, or something that `Into` makes one of without a loss"
)]
pub trait ColumnArg<T> {
    /// The value in the column's type.
    fn into_value(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T, V: Into<T>> ColumnArg<T> for V {
    fn into_value(self) -> T {
        self.into()
    }
}
