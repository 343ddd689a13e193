package import AcctModel
package import AcctPorts

/// acct's own files, or the output, could not be used.
package enum FilesError: Error, Equatable, Sendable {
  case failed(FilesFailure)
  case damagedAccount(AccountID)
  /// acct's locks are on a file system that may grant two machines one lock, so nothing is renewed.
  case foreignLocks(FileSystem)
  /// The result could not be written.
  case output(StreamFailure)
}
