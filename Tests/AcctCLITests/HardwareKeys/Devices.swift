import Release
import AcctCLI
import AcctCrypto
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON

extension RecordedWorld {
  /// A server that binds its tokens to keys, for a sign-in on another device.
  func serveDPoP(_ tokens: HTTPResponse...) -> RecordedServer {
    plugInDevices()
    let all = tokens.isEmpty ? [RecordedServer.tokens("a", ["token_type": "DPoP"])] : tokens
    return RecordedServer(
      self,
      [
        RecordedServer.place: [RecordedServer.metadata(["dpop_signing_alg_values_supported": ["ES256"]])],
        "/start": [RecordedServer.start], "/token": all,
      ]
    )
  }

  /// Signs in with these options.
  func signIn(_ options: String...) async -> Int32 {
    clear()
    return await run(["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"] + options)
  }

  /// Prints a header, and returns whether its proof is one of the account's key.
  func provesPossession() async throws -> Bool {
    guard await acct("header", "https://as.example/x") == 0 else { return false }
    guard let line = out.split(separator: "\n").first(where: { $0.hasPrefix("DPoP: ") }) else { return false }
    return try isProof(String(line.dropFirst(6)))
  }

  /// Whether a proof is signed by the key that it names, and that is the account's.
  func isProof(_ proof: String) throws -> Bool {
    let parts = proof.split(separator: ".").map(String.init)
    let jwk = try JWT.decode(Token(proof)).header["jwk"]?.objectValue
    guard parts.count == 3, let x = jwk?["x"]?.stringValue, let y = jwk?["y"]?.stringValue else { return false }
    let key = try P256PublicKey(x: Base64URL.decode(x), y: Base64URL.decode(y))
    let message = Array("\(parts[0]).\(parts[1])".utf8)
    return try key.isValidSignature(Base64URL.decode(parts[2]), of: message.span)
      && .string(key.thumbprint) == accountFile?["thumbprint"]
  }

  /// The stored form of the first account's key.
  var keyItem: JSONObject? {
    keyring.items.values.first?[.keypair].flatMap { item in try? item.withBytes { try JSON(parsing: $0) }.objectValue }
  }

  /// The exit status of a command, and the code of its error.
  func failure(_ arguments: String...) async -> String {
    clear()
    let status = await run(arguments + ["--json"])
    let error = err.compactMap { try? JSON(parsing: Array($0.utf8)).objectValue?["error"] }.last
    return "\(status) \(error?.objectValue?["code"]?.stringValue ?? "")"
  }
}
