/// Why a private file could not be used.
package enum PrivateFilesError: Error, Equatable, Sendable {
  /// The system refused, in its own words.
  case failed(path: String, reason: String)
  /// Another user owns the place, can change it, or has put a link there.
  case unsafe(path: String, reason: String)
  /// Another process held the lock for too long.
  case busy(path: String)

  init(_ path: String, _ fileError: FileError) {
    self =
      switch fileError {
      case .system: .failed(path: path, reason: fileError.reason)
      case .distrusted(let reason): .unsafe(path: path, reason: reason)
      }
  }
}

/// Names the file that `body` fails at.
func at<Result: ~Copyable>(_ path: String, _ body: () throws(FileError) -> Result) throws(PrivateFilesError) -> Result {
  do { return try body() } catch { throw PrivateFilesError(path, error) }
}
