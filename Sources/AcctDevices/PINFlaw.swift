/// Why a device gets no PIN.
enum PINFlaw: Equatable, Sendable {
  case failed(path: String, reason: String)
  case missing(path: String)
  case exposed(path: String, reason: String, chmod: String?)
  case exists(path: String)
  case empty(path: String)
  case differ
  case notGiven

  /// The reason, as the failures of devices have theirs.
  var text: String {
    switch self {
    case .failed(let path, let reason): "\(path): \(reason)"
    case .missing(let path): "\(path): no such file or directory"
    case .exposed(let path, let reason, let chmod): "\(path): \(reason)\(chmod.map { ": run `\($0)`" } ?? "")"
    case .exists(let path): "\(path) already exists"
    case .empty(let path): "\(path): it is empty"
    case .differ: "the two PINs differ"
    case .notGiven: "no PIN was given"
    }
  }
}
