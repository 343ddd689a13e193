package import AcctModel

/// An account whose file is there and is not used, as far as the file still tells.
package struct SkippedAccount: Equatable, Sendable {
  package enum Flaw: Equatable, Sendable {
    case damaged
    /// A later version of acct wrote it.
    case newer
    /// It is the file of another identifier: a copy, or renamed.
    case renamed(AccountID)
    /// It is the user's, and its mode is wrong: others can change it, or the user can't read it; the reason, with the line
    /// that mends it.
    case mode(reason: String)
    /// It is another user's, or not a file; the reason.
    case unsafe(reason: String)
  }

  package let id: AccountID
  /// The name in the file's text, which others may have written, and which may be cut short.
  package let name: AccountName?
  package let path: String
  package let flaw: Flaw

  /// `true` if the file's mode is all that keeps it from use.
  package var hasWrongMode: Bool { if case .mode = flaw { true } else { false } }
}
