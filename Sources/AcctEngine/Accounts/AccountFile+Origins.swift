package import AcctModel
import StrictJSON

extension AccountSource {
  /// As an account's file has it.
  var word: String {
    switch self {
    case .issuer: "issuer"
    case .backend: "backend"
    case .user: "user"
    }
  }

  package var backend: Origin? { if case .backend(let origin) = self { origin } else { nil } }
}

extension OwnOrigins {
  /// The reasons for each origin that is there for any but its sign-in; `null` without one.
  var reasonsJSON: JSON {
    var object = JSONObject()
    for origin in self where reasons(for: origin) != .signIn {
      object[origin.description] = .array(reasons(for: origin).words.map { .string($0) })
    }
    return object.names.isEmpty ? .null : .object(object)
  }
}

extension OwnOrigins.Reasons {
  private static let names: [(reason: Self, word: String)] = [
    (.signIn, "signIn"), (.resource, "resource"), (.user, "user"),
  ]

  fileprivate var words: [String] { Self.names.filter { contains($0.reason) }.map(\.word) }

  /// Reads reasons; `nil` where no word is one of them.
  init?(_ json: JSON?) {
    let words = json?.arrayValue?.compactMap(\.stringValue) ?? []
    self = Self(Self.names.filter { words.contains($0.word) }.map(\.reason))
    if isEmpty { return nil }
  }
}
