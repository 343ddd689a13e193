package import AcctModel
package import AcctPorts
package import AcctProtocol

/// Why accounts could not be exported, or an export could not be imported.
package enum TransferError: Error, Equatable, Sendable {
  case sealed(SealedExportError)
  /// It was opened, and its contents are not accounts.
  case notAccounts
  /// An account in it has parts that contradict each other.
  case unsound(AccountName)
  /// An account has no credentials that could be used elsewhere.
  case nothingToExport(AccountName)
  /// It is larger than an import accepts, in bytes.
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
