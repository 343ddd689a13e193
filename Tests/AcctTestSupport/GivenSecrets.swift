package import StrictJSON

/// The secrets that a test knows to exist, by kind, to search for them where they must not be.
package struct GivenSecrets: Sendable {
  private var byKind: [String: Set<String>] = [:]

  package init() {}

  /// Kind by kind, as a server's control API tells what it has given out and been given.
  package init(_ answer: JSON) {
    for (kind, secrets) in answer.objectValue ?? [:] {
      byKind[kind] = Set(secrets.arrayValue?.compactMap(\.stringValue) ?? [])
    }
  }

  package mutating func add(_ kind: String, _ secret: String) { byKind[kind, default: []].insert(secret) }

  package mutating func add(_ others: GivenSecrets) { byKind.merge(others.byKind) { $0.union($1) } }

  /// How many there are of a kind.
  package func count(of kind: String) -> Int { byKind[kind]?.count ?? 0 }

  /// As `Tests/Leaks/forms.py` reads them.
  package var json: JSON {
    var object = JSONObject()
    for (kind, secrets) in byKind { object[kind] = .array(secrets.sorted().map(JSON.string)) }
    return .object(object)
  }
}

extension StrictServer {
  /// Every token, code and verifier so far.
  package func secrets() async throws -> GivenSecrets { GivenSecrets(.object(try await control("secrets"))) }
}

extension SessionBackend {
  /// Every seal so far.
  package func secrets() async throws -> GivenSecrets { GivenSecrets(.object(try await control("secrets"))) }
}

extension GuestBackend {
  /// Every token so far.
  package func secrets() async throws -> GivenSecrets { GivenSecrets(.object(try await control("secrets", [:]))) }
}

extension HandoffBackend {
  /// Every code and key so far.
  package func secrets() async throws -> GivenSecrets { GivenSecrets(try await control("secrets")) }
}

extension ATProtoNetwork {
  /// Every token, code and verifier so far.
  package func secrets() async throws -> GivenSecrets { GivenSecrets(try await control("secrets")) }
}
