import Text

/// The address at which the sign-in at a backend ended, with all of its parameters.
package struct CallbackAddress: Sendable {
  package let place: CallbackPlace
  package let parameters: QueryParameters

  /// In bytes; a sealed session has a few thousand.
  package static let limit = 1 << 15

  /// Reads an address; spaces around it are dropped, as is a fragment.
  ///
  /// - Parameter text: `limit://auth?code=…`, `http://127.0.0.1:8080/callback?…`.
  /// - Throws: ``CallbackFlaw`` for a text that is not an address, or has a parameter twice.
  package init(_ text: String) throws(CallbackFlaw) {
    guard text.utf8.count <= Self.limit else { throw .tooLong }
    let address = text.trimmed.prefix { $0 != "#" }
    guard let mark = address.firstIndex(of: "?") else {
      // A missing place is the better error to report first.
      place = try CallbackPlace(address)
      parameters = .none
      return
    }
    let query = address[mark...].dropFirst()
    guard query.utf8.allSatisfy(\.isVisibleASCII) else { throw .malformed }
    place = try CallbackPlace(address[..<mark])
    do {
      parameters = try QueryParameters(String(query)) { $0 == "error_description" || $0 == "error_uri" }
    } catch .doubled(let name) {
      throw .doubled(name: name)
    } catch {
      throw .malformed
    }
  }
}

/// Why an address is not the callback that is waited for; never with a value, which may be a secret.
package enum CallbackFlaw: Error, Equatable, Sendable {
  case tooLong
  /// Not an address, or one with escapes or characters that it must not have.
  case malformed
  /// A parameter is there twice, and nothing says which one counts.
  case doubled(name: String)
  /// http or https to another machine, or a scheme that is no app's.
  case foreign
  /// Another scheme, host or path than `--callback` names.
  case unexpected
  case incomplete(missing: String)
  /// A parameter is there and malformed.
  case unfit(name: String)
  /// A parameter names another identity than the requested one.
  case mismatched(name: String)
}

extension String {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { ![" ", "\t", "\r"].contains($0) }
    return end.map { start[...$0] } ?? ""
  }
}
