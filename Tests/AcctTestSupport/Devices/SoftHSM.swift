/// A real SoftHSM 2 with tokens of its own, in a folder that is deleted with this.
///
/// The module finds its tokens by `SOFTHSM2_CONF`, a variable of the process that loads it: so only a child
/// with ``environment`` can use them.
package final class SoftHSM: Sendable {
  private let folder: TemporaryFolder
  /// The module, which SoftHSM's package configures for p11-kit, too.
  package static let module = "/usr/lib/softhsm/libsofthsm2.so"
  /// The user's PIN of each token.
  package static let pin = "made-up 4711"
  /// A file with ``pin`` and a line break, mode 0600.
  package let pinFile: String
  /// What a process needs to see the tokens.
  package let environment: [String: String]

  /// Makes tokens with these labels; two may have the same.
  ///
  /// - Throws: ``ProcessFailure``, ``HarnessFailure``.
  package init(tokens labels: [String] = ["acct"]) async throws {
    folder = try TemporaryFolder()
    let tokens = try folder.folder("tokens")
    let configuration = """
      directories.tokendir = \(tokens)
      objectstore.backend = file
      log.level = ERROR

      """
    environment = ["SOFTHSM2_CONF": try folder.file("softhsm2.conf", containing: configuration)]
    pinFile = try folder.file("pin", containing: "\(Self.pin)\n")
    for label in labels { try await addToken(label) }
  }

  /// Makes one more token.
  package func addToken(_ label: String) async throws {
    try await run(
      "softhsm2-util",
      ["--init-token", "--free", "--label", label, "--pin", Self.pin, "--so-pin", "made-up so"]
    )
  }

  /// Destroys a token with all keys in it.
  package func removeToken(_ label: String) async throws {
    try await run("softhsm2-util", ["--delete-token", "--token", label])
  }

  /// Has the token's owner make a key by pkcs11-tool, after its user's PIN was given.
  ///
  /// - Parameters:
  ///   - arguments: Such as `--usage-sign` or `--usage-derive`.
  ///   - label: The key's label.
  ///   - id: The key's id, in hexadecimal digits; none if `nil`.
  ///   - type: As pkcs11-tool names it.
  ///   - token: The token's label.
  /// - Throws: ``HarnessFailure`` if it is not made.
  package func makeKey(
    _ arguments: [String] = ["--usage-sign"],
    label: String = "made-up",
    id: String? = "01",
    type: String = "EC:prime256v1",
    token: String = "acct"
  ) async throws {
    try await tool(
      ["--keypairgen", "--key-type", type, "--label", label] + (id.map { ["--id", $0] } ?? []) + arguments,
      token: token
    )
  }

  /// Has the token's owner bring a key that OpenSSL made.
  package func importKey(label: String, id: String, token: String = "acct") async throws {
    let file = "\(folder.path)/brought.pem"
    try await run("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", file])
    try await run(
      "softhsm2-util",
      ["--import", file, "--token", token, "--label", label, "--id", id, "--pin", Self.pin]
    )
  }

  /// Has the token's owner bring a client's certificate and its key, under one label and id.
  package func bring(_ issued: MadeUpAuthority.Issued, label: String, id: String, token: String = "acct") async throws {
    try await run(
      "softhsm2-util",
      ["--import", issued.key, "--token", token, "--label", label, "--id", id, "--pin", Self.pin]
    )
    let der = "\(folder.path)/certificate.der"
    try await run("openssl", ["x509", "-in", issued.certificate, "-outform", "DER", "-out", der])
    try await tool(["--write-object", der, "--type", "cert", "--label", label, "--id", id], token: token)
  }

  /// Runs pkcs11-tool (OpenSC) with the user logged in, and returns what it printed.
  @discardableResult
  package func tool(_ arguments: [String], token: String = "acct") async throws -> String {
    let selected = ["--module", Self.module, "--token-label", token, "--login", "--pin", Self.pin]
    return try await run("pkcs11-tool", selected + arguments)
  }

  /// A URI that names the module and a token, and more of its path: `uri(";object=made-up")`.
  ///
  /// - Parameters:
  ///   - attributes: More attributes of the path, each behind a semicolon.
  ///   - token: The token's label.
  ///   - query: More attributes of the query, each behind an ampersand.
  /// - Returns: The URI.
  package func uri(_ attributes: String = "", token: String = "acct", query: String = "") -> String {
    "pkcs11:token=\(token)\(attributes)?module-path=\(Self.module)\(query)"
  }

  /// ``uri(_:token:query:)`` whose PIN is in ``pinFile``.
  package func uriWithPIN(_ attributes: String = "", token: String = "acct") -> String {
    uri(attributes, token: token, query: "&pin-source=file:\(pinFile)")
  }

  @discardableResult
  private func run(_ program: String, _ arguments: [String]) async throws -> String {
    var child = ChildProcess(program, arguments)
    child.environment.merge(environment) { $1 }
    let done = try await child.run()
    guard done.status == 0 else { throw HarnessFailure("\(program) \(arguments): \(done.errorText)\(done.text)") }
    return done.text
  }
}
