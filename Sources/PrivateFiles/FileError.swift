import Glibc

/// Why a file can't be used, without saying which file.
package enum FileError: Error, Equatable, Sendable {
  /// The kernel's answer, an `errno`.
  case system(Int32)
  /// The file could be used, and can't be trusted.
  case distrusted(reason: String)
  /// As ``distrusted(reason:)``, by a mode; `chmod` is the line that mends it, `nil` where the user can't.
  case exposed(reason: String, chmod: String?)

  /// The error that the call before left in `errno`.
  package static var last: FileError { .system(errno) }

  package static let notThere = FileError.system(ENOENT)
  static let exists = FileError.system(EEXIST)
  static let notRegular = FileError.distrusted(reason: "it is not a regular file")
  package static let isLink = FileError.distrusted(reason: "it is a symbolic link")

  /// In words that follow a path and a colon, such as "no space left on device".
  package var reason: String {
    switch self {
    case .distrusted(let reason), .exposed(let reason, nil): return reason
    case .exposed(let reason, let chmod?): return "\(reason): run `\(chmod)`"
    case .system(let number):
      let words = unsafe String(cString: strerror(number))
      return words.prefix(1).lowercased() + words.dropFirst()
    }
  }
}

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
      // Of this user's own file: only its mode is wrong.
      case .exposed(let reason, chmod: nil):
        .unsafe(path: path, reason: "\(reason): run `chmod go-w \(shellWord(path))`")
      case .distrusted, .exposed: .unsafe(path: path, reason: fileError.reason)
      }
  }
}

/// Names the file that `body` fails at.
func at<Result: ~Copyable>(_ path: String, _ body: () throws(FileError) -> Result) throws(PrivateFilesError) -> Result {
  do { return try body() } catch { throw PrivateFilesError(path, error) }
}
