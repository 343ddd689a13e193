/// Why a line of another program's file is malformed.
package enum LineFlaw: Equatable, Sendable {
  /// A quoted text does not end in it.
  case quote
  /// A quoted text has an escape that the format does not have.
  case escape
  /// It has a zero byte.
  case zero
  /// A tab indents it.
  case tab
  /// It is not UTF-8.
  case encoding
  /// A key is missing or malformed.
  case key
  /// A value is missing or malformed.
  case value
  /// It sets a key that an earlier one has set.
  case repeated
  /// A character of the syntax is missing.
  case missing(Unicode.Scalar)
  /// A character of the syntax closes nothing.
  case unopened(Unicode.Scalar)
  /// Something follows a value.
  case rest
  /// A comment does not end.
  case comment
}
