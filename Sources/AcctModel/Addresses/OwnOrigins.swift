/// The origins to which an account's credentials may be sent, each once, with the reasons.
///
/// A new sign-in replaces them. Only what the user has allowed stays.
package struct OwnOrigins: Equatable, Sendable {
  /// Why an origin is the account's; there may be several reasons.
  package struct Reasons: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The account was signed in there, or its data is there: issuer, data server, backend.
    package static let signIn = Reasons(rawValue: 1)
    /// A resource server that the token is for.
    package static let resource = Reasons(rawValue: 2)
    /// The user's own choice: `allow` and `--allow-origin`.
    package static let user = Reasons(rawValue: 4)
  }

  private struct Entry: Equatable {
    var origin: Origin
    var reasons: Reasons
  }

  private var entries: [Entry]

  package init(_ origins: [Origin], for reasons: Reasons = .signIn) {
    entries = []
    add(origins, for: reasons)
  }

  /// Why an origin is the account's; empty for any other.
  package func reasons(for origin: Origin) -> Reasons { entries.first { $0.origin == origin }?.reasons ?? [] }

  /// Adds origins, or more reasons for those that are there.
  package mutating func add(_ origins: [Origin], for reasons: Reasons) {
    for origin in origins {
      if let index = entries.firstIndex(where: { $0.origin == origin }) {
        entries[index].reasons.formUnion(reasons)
      } else {
        entries.append(Entry(origin: origin, reasons: reasons))
      }
    }
  }

  /// Removes an origin, whatever the reasons for it were.
  package mutating func remove(_ origin: Origin) { entries.removeAll { $0.origin == origin } }

  /// Adds the origins that the user allowed earlier, and no other earlier ones.
  package mutating func keepUsers(of earlier: OwnOrigins) {
    add(earlier.entries.filter { $0.reasons.contains(.user) }.map(\.origin), for: .user)
  }

  /// Adds all earlier origins, with their reasons.
  package mutating func keepAll(of earlier: OwnOrigins) {
    for entry in earlier.entries { add([entry.origin], for: entry.reasons) }
  }

  /// Follows a server that has moved.
  ///
  /// Its old place stays only where the user has allowed it.
  package mutating func move(from old: Origin, to new: Origin) {
    guard old != new, let index = entries.firstIndex(where: { $0.origin == old }) else { return }
    let moved = entries[index].reasons.subtracting(.user)
    guard !moved.isEmpty else { return }
    if entries[index].reasons.contains(.user) {
      entries[index].reasons = .user
      add([new], for: moved)
    } else if entries.contains(where: { $0.origin == new }) {
      entries.remove(at: index)
      add([new], for: moved)
    } else {
      entries[index].origin = new
    }
  }
}

extension OwnOrigins: RandomAccessCollection {
  package var startIndex: Int { entries.startIndex }
  package var endIndex: Int { entries.endIndex }
  package subscript(position: Int) -> Origin { entries[position].origin }
}

extension OwnOrigins: ExpressibleByArrayLiteral {
  /// Origins where the account was signed in.
  package init(arrayLiteral origins: Origin...) { self.init(origins) }
}
