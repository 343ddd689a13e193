import AcctProtocol
package import AcctModel
import Secrets
import Release

/// Cargo's credential providers, which answer JSON on lines (Credential Provider Protocol, version 1).
///
/// <https://doc.rust-lang.org/cargo/reference/credential-provider-protocol.html>
package struct CargoCredential: HelperProtocol {
  package let task: HelperTask
  /// Cargo sends the token to the servers that the index names in its `config.json`.
  package let reach: HelperReach

  /// The word that cargo calls a provider with.
  private static let operation = ["--cargo-plugin"]

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
    let (isSparse, address) = Self.address(of: index)
    reach = isSparse ? .named : .namedByRepository
    guard kind == "get" else {
      task = .answered(Self.refusal("operation-not-supported"))
      return
    }
    // A token is the same for each of them, also for one that a later cargo has.
    _ = try request.text("operation")
    do {
      let url = try HTTPURL(address)
      task = url.isIndexOfCratesIO ? .answered(Self.otherIndex) : .get(HelperTarget(url))
    } catch {
      task = error == .url ? .answered(Self.otherIndex) : .unusable(error)
    }
  }

  /// The address of an index, and `true` if cargo reads it over http; otherwise git fetches it.
  private static func address(of index: String) -> (isSparse: Bool, address: String) {
    let sparse = "sparse+"
    if index.hasPrefix(sparse) { return (true, String(index.dropFirst(sparse.count))) }
    for prefix in ["registry+", "git+"] where index.hasPrefix(prefix) {
      return (false, String(index.dropFirst(prefix.count)))
    }
    return (false, index)
  }

  /// Cargo sends the token as the value of the field `Authorization`, and nothing besides.
  package func accepts(_ form: CredentialForm) -> Bool {
    switch form {
    case .scheme, .basic, .userIsToken: true
    case .bare(let field): field.lowercased() == "authorization"
    case .query, .guest, .cookie, .bound: false
    }
  }

  package func answer(_ credential: HelperCredential) throws(OutputFlaw) -> HelperAnswer {
    guard let value = credential.fields.first?.value else { return none }
    let cache =
      credential.expiresAt.map { "\"expires\",\"expiration\":\($0.secondsSince1970)" }
      ?? "\"session\""
    return HelperAnswer(
      Secret(
        joining: [
          Secret(#"{"Ok":{"kind":"get","token":"#),
          try OutputFormat.json.written(OutputFormat.fieldValue.written(value)),
          Secret(",\"cache\":\(cache),\"operation_independent\":true}}\n"),
        ]
      )
    )
  }

  /// Cargo then asks its next provider.
  package var none: HelperAnswer { Self.refusal("not-found") }

  package static func answer(to flaw: HelperFlaw) -> HelperAnswer? {
    switch flaw {
    case .operation, .arguments, .option: nil
    case .tooLarge, .line, .repeated, .missing, .value, .notText, .notJSON:
      HelperAnswer(
        Secret(
          #"{"Err":{"kind":"other","message":"the request is not one of version 1"}}"# + "\n"
        ),
        isSuccess: false
      )
    }
  }

  /// The answer to an index that is no account's own.
  private static let otherIndex = refusal("url-not-supported")

  private static func refusal(_ kind: String) -> HelperAnswer {
    HelperAnswer(Secret("{\"Err\":{\"kind\":\"\(kind)\"}}\n"))
  }
}

extension HTTPURL {
  /// `true` for the index of crates.io as cargo names it: a repository at GitHub, which knows no token of crates.io's.
  fileprivate var isIndexOfCratesIO: Bool {
    guard origin.host == "github.com" else { return false }
    let name = path.lowercased().split(separator: "/").joined(separator: "/")
    return name == "rust-lang/crates.io-index" || name == "rust-lang/crates.io-index.git"
  }
}
