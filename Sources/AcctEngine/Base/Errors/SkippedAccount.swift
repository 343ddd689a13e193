package import AcctModel

/// An account whose file is there and is not used, as far as the file still tells.
package struct SkippedAccount: Equatable, Sendable {
  package enum Flaw: Equatable, Sendable {
    case damaged
    /// A later version of acct wrote it.
    case newer
    /// It is the file of another identifier: a copy, or renamed.
    case renamed(AccountID)
    /// Other users can change it, or it is not a file; the reason, with the line that mends it if there is one.
    case unsafe(reason: String)
  }

  package let id: AccountID
  /// The name in the file's text, which others may have written, and which may be cut short.
  package let name: AccountName?
  package let path: String
  package let flaw: Flaw
}
