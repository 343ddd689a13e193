import AcctModel
import AcctProtocol

/// The identity that a backend is asked to sign in.
enum BackendPerson: Equatable, Sendable {
  case handle(Handle)
  case did(DID)

  /// Parses the typed identifier.
  ///
  /// - Parameter text: A handle, with or without `@`, or a DID.
  /// - Throws: ``ParseError``.
  init(_ text: String) throws(ParseError) {
    if text.hasPrefix("did:") {
      self = .did(try DID(text))
    } else {
      self = .handle(try Handle(text.hasPrefix("@") ? String(text.dropFirst()) : text))
    }
  }

  /// `true` if an answer names this person.
  func isNamed(by handoff: Handoff) -> Bool {
    switch self {
    case .handle(let handle): handoff.handle == handle
    case .did(let did): handoff.did == did
    }
  }
}

extension BackendPerson: CustomStringConvertible {
  var description: String {
    switch self {
    case .handle(let handle): handle.description
    case .did(let did): did.description
    }
  }
}
