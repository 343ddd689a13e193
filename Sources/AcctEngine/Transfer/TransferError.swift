package import AcctModel
package import AcctPorts
package import AcctProtocol

/// Why accounts could not be exported, or an export not be taken.
package enum TransferError: Error, Equatable, Sendable {
  case sealed(SealedExportError)
  /// It was opened, and what is in it is not what acct puts there.
  case notAccounts
  /// An account in it has parts that don't fit each other.
  case unsound(AccountName)
  /// There is nothing that could be used elsewhere.
  case nothingToExport(AccountName)
  /// More than can be imported again, in bytes.
  case tooLarge(limit: Int)
  /// Standard output is a terminal.
  case terminal
  case file(SecretFileFailure)
  /// No passphrase was given, and there is no terminal to ask for one.
  case noPassphrase
  case emptyPassphrase
  case passphrasesDiffer
  /// A name was given for several accounts.
  case oneNameForSeveral
}
