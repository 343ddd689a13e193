import AcctModel
import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A home whose account has its key in a device, and the server of that account.
struct DeviceHome: Sendable {
  enum Kind: String, Sendable, CaseIterable { case tpm, token }

  let home: AcctHome
  let server: StrictServer
  /// What stands behind `--key`.
  let key: String
  let tpm: SoftwareTPM?
  let token: SoftHSM?

  /// Starts a device and a server; there is no account yet.
  init(_ kind: Kind, withPINFile: Bool = true) async throws {
    server = try await StrictServer(["rs_nonce": false])
    switch kind {
    case .tpm:
      let tpm = try await SoftwareTPM()
      self.tpm = tpm
      token = nil
      key = "tpm:\(tpm.address.description)"
      home = try AcctHome()
    case .token:
      let token = try await SoftHSM()
      self.token = token
      tpm = nil
      key = withPINFile ? token.uriWithPIN(";object=acct") : token.uri(";object=acct")
      home = try AcctHome(with: token.environment)
    }
  }

  /// Signs in, with a key in the device.
  func signIn(_ options: String...) async throws {
    var command = home.signIn(at: server)
    command.arguments += ["--key", key] + options
    let added = try await command.run()
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// The exit status of a `header`, and what it says on standard error.
  func header(with variables: [String: String] = [:]) async throws -> (Int32, String) {
    var command = home.command(["header", "\(server.resource)/resource"])
    command.environment.merge(variables) { $1 }
    let header = try await command.run()
    return (header.status, header.errorText)
  }
}
