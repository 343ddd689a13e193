import AcctModel

/// Cargo's credential providers, which answer JSON on lines (Credential Provider Protocol, version 1).
///
/// <https://doc.rust-lang.org/cargo/reference/credential-provider-protocol.html>
package struct CargoCredential: HelperProtocol {
  package let task: HelperTask

  /// The word that cargo calls a provider with.
  private static let operation = ["--cargo-plugin"]

  /// Cargo sends the token to the servers that the index names in its `config.json`.
  package static let passesTokensOn = true

  package static func exchange(for operation: [String]) -> HelperExchange {
    operation.isEmpty || operation == Self.operation ? .lines(greeting: "{\"v\":[1]}\n") : .silent
  }

  package init(_ question: HelperQuestion) throws(HelperFlaw) {
    if let word = question.operation.first, question.operation != Self.operation {
      throw word == Self.operation.first ? .arguments : .operation(word)
    }
    let request = try HelperMembers(question.input)
    guard try request.integer("v") == 1 else { throw .value("v") }
    let kind = try request.text("kind")
    guard let registry = try request.members("registry") else { throw .missing("registry") }
    let index = try registry.text("index-url")
    guard kind == "get" else {
      task = .answered(Self.refusal("operation-not-supported"))
      return
    }
    // A token is the same for each of them, also for one that a later cargo has.
    _ = try request.text("operation")
    // Git fetches any other index, and its server is another one than the registry's: crates.io names
    // a repository at GitHub, and would get GitHub's token.
    let sparse = "sparse+"
    guard index.hasPrefix(sparse) else {
      task = .answered(Self.refusal("url-not-supported"))
      return
    }
    do { task = .get(HelperTarget(try HTTPURL(String(index.dropFirst(sparse.count))))) } catch {
      task = error == .url ? .answered(Self.refusal("url-not-supported")) : .unusable(error)
    }
  }

  /// Cargo sends the token as the value of the field `Authorization`, and nothing besides.
  package func accepts(_ form: CredentialForm) -> Bool {
    switch form {
    case .scheme, .basic: true
    case .bare(let field): field.lowercased() == "authorization"
    case .guest, .cookie, .bound: false
    }
  }

  package func answer(_ credential: HelperCredential) -> HelperAnswer {
    guard let value = credential.fields.first?.value else { return none }
    let cache =
      credential.expiresAt.map { "\"expires\",\"expiration\":\($0.secondsSince1970)" }
      ?? "\"session\""
    return HelperAnswer(
      Secret(
        joining: [
          Secret(#"{"Ok":{"kind":"get","token":"#), value.asJSON,
          Secret(",\"cache\":\(cache),\"operation_independent\":true}}\n"),
        ]
      )
    )
  }

  /// Cargo then asks its next provider.
  package var none: HelperAnswer { Self.refusal("not-found") }

  package static func answer(to flaw: HelperFlaw) -> HelperAnswer? {
    switch flaw {
    case .operation, .arguments: nil
    case .tooLarge, .line, .repeated, .missing, .value, .notText, .notJSON:
      HelperAnswer(
        Secret(
          #"{"Err":{"kind":"other","message":"the request is not one of version 1"}}"# + "\n"
        ),
        isSuccess: false
      )
    }
  }

  private static func refusal(_ kind: String) -> HelperAnswer {
    HelperAnswer(Secret("{\"Err\":{\"kind\":\"\(kind)\"}}\n"))
  }
}
