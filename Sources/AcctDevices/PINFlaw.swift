/// Why a device gets no PIN.
package enum PINFlaw: Equatable, Sendable {
  case failed(path: String, reason: String)
  case missing(path: String)
  case exposed(path: String, reason: String, chmod: String?)
  case exists(path: String)
  case empty(path: String)
  case differ
  case noPrompt
  case notGiven

  /// The reason, as the failures of devices have theirs.
  package var text: String {
    switch self {
    case .failed(let path, let reason): "\(path): \(reason)"
    case .missing(let path): "\(path): no such file or directory"
    case .exposed(let path, let reason, let chmod): "\(path): \(reason)\(chmod.map { ": run `\($0)`" } ?? "")"
    case .exists(let path): "\(path) already exists"
    case .empty(let path): "\(path): it is empty"
    case .differ: "the two PINs differ"
    case .noPrompt: "acct can't prompt for it"
    case .notGiven: "no PIN was given"
    }
  }
}

extension HardwareKeyFailure {
  /// No token is in the reader.
  package static let unplugged = Self.absent(reason: "it is not plugged in")
  /// The blob is of another key than the one that was made.
  package static let otherBlob = Self.malformedReply(reason: "the blob is not of the key that was made")
  package static let notOnCurve = Self.malformedReply(reason: "the public key is not a point of P-256")
  /// An account that can't be read may use the key.
  package static let maybeInUse = Self.failed(reason: "not every account can be read, and one of them may use it")
}
