package import AcctModel
package import AcctPorts

/// acct's own files, or the output, could not be used.
package enum FilesError: Error, Equatable, Sendable {
  case failed(FilesFailure)
  case damagedAccount(AccountID)
  /// The result could not be written.
  case output(StreamFailure)
}
