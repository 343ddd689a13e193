import AcctCLI
import AcctConsole
import AcctEngine
import AcctFleet
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import StrictJSON
import Testing

/// ID tokens, certificates and kept keys of roles, on their way to another keyring.
@Suite("Identities in a move")
struct MovedIdentityTests {
  private static let roleKeys =
    #"{"version":1,"keys":[{"for":"r","id":"i","secret":"s","token":"t","expiresAt":"2100-01-01T00:00:00Z"}]}"#
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  private func machine() async -> SharingMachine {
    let machine = SharingMachine()
    await machine.keep(
      """
      {"access_token":"made-up","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z","refresh_token":"made-up-too",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(Self.idToken)"}
      """
    )
    machine.vault.put(.roleKeys, Secret(Self.roleKeys))
    return machine
  }

  @Test("A move to a shared keyring and back takes the ID token and the keys of roles")
  func moved() async {
    let machine = await machine()
    let items = machine.vault.items
    #expect(items.values.first?[.idToken] != nil && items.values.first?[.roleKeys] != nil)
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts.mapValues(\.items) == items)
    #expect(await machine.acct("token", "--id") == 0, "\(machine.record.err)")
    #expect(machine.record.out == Self.idToken + "\n")
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0, "\(machine.record.err)")
    #expect(machine.vault.items == items)
  }

  @Test(
    "A shared keyring refuses damaged keys of roles, and a damaged ID token",
    arguments: [ItemKind.roleKeys, .idToken]
  )
  func damaged(kind: ItemKind) async throws {
    let machine = await machine()
    let (id, items) = try #require(machine.vault.items.first)
    let record = try #require(machine.record.file(.account(id)))
    var contents = SharedContents(
      id: id,
      name: try AccountName("alice.example"),
      record: Array(record.utf8),
      items: items
    )
    #expect(SharedRecord.check(contents) == nil)
    contents.items[kind] = Secret("{}")
    #expect(SharedRecord.check(contents) == .item(kind))
  }

  @Test("A move takes a certificate and its key, by which the account is renewed in the shared keyring")
  func certificate() async {
    let machine = SharingMachine()
    let record = machine.record
    record.corrupt(.keyringDecision, with: "vault\n")
    record.provide("/home/client.pem", MadeUpCertificates.p256)
    record.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    let metadata: JSONObject = ["token_endpoint_auth_methods_supported": ["tls_client_auth"]]
    _ = RecordedServer(
      record,
      [
        RecordedServer.place: [RecordedServer.metadata(metadata)],
        "/token": [
          RecordedServer.tokens("a", ["refresh_token": .null]), RecordedServer.tokens("b", ["refresh_token": .null]),
        ],
      ]
    )
    let added = await machine.acct(
      "add",
      "--issuer",
      RecordedServer.issuer,
      "--client-id",
      "robot",
      "--grant",
      "client-credentials",
      "--cert",
      "/home/client.pem",
      "--cert-key",
      "/home/client.key",
      "--name",
      "robot"
    )
    #expect(added == 0, "\(record.err)")
    let items = machine.vault.items
    #expect(items.values.first?[.certificate] != nil && items.values.first?[.certificateKey] != nil)
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(record.err)")
    #expect(machine.engine.accounts.mapValues(\.items) == items)
    #expect(await machine.acct("refresh", "robot", "--force") == 0, "\(record.err)")
    #expect(record.requests.last?.identity != nil)
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0, "\(record.err)")
    #expect(machine.vault.items.values.first?[.certificateKey] == items.values.first?[.certificateKey])
  }

  @Test("An account that the doctor rebuilds from its items has its ID token")
  func rebuilt() async throws {
    let machine = await machine()
    machine.record.forget(.account(try machine.onlyAccount()))
    _ = await machine.acct("doctor", "--repair")
    #expect(await machine.acct("token", "--id", "-a", "alice.example") == 0, "\(machine.record.err)")
    #expect(machine.record.out == Self.idToken + "\n")
  }
}
