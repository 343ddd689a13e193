import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The device id")
struct DeviceIDTests {
  private static let id = "0a0a0a0a-0a0a-4a0a-8a0a-0a0a0a0a0a0a"

  @Test(
    "The X-Device-ID field is sent for guests only, whatever kind of account is used",
    arguments: [
      ("guest", "guest", ItemKind.guest, ["Authorization", "X-Device-ID"]),
      ("session", "session", .session, ["Cookie"]),
      ("oauth", "Bearer", .accessToken, ["Authorization"]),
      ("oauth", "DPoP", .accessToken, ["Authorization", "DPoP"]),
    ]
  )
  func guestsOnly(kind: String, type: String, item: ItemKind, names: [String]) async throws {
    let world = RecordedWorld()
    let id = try AccountID(Self.id)
    // As acct keeps it, whichever command it came by.
    let account: JSON = [
      "version": 1, "id": .string(Self.id), "name": "a", "kind": .string(kind),
      "tokenType": .string(type), "origins": ["https://api.example"], "canRenew": false,
      "standing": "signedIn", "expiresAt": "2027-01-15T09:00:00Z",
      "createdAt": "2027-01-15T08:00:00Z",
    ]
    world.corrupt(.account(id), with: String(decoding: account.serialized(), as: UTF8.self))
    world.corrupt(.keyringDecision, with: "secret-service\n")
    let items: [Keyring.Item] = [.init(item, Secret("made-up")), .init(.keypair, Secret(Handoffs.key.serialized()))]
    try await world.keyring.keyring().write(id, items, .forbidden)

    #expect(await world.acct("header", "https://api.example/x", "-a", "a") == 0)
    #expect(world.err.isEmpty)
    let sent = world.out.split(separator: "\n").compactMap { $0.split(separator: ":").first }
    #expect(sent.map(String.init) == names)
    #expect((world.file(.deviceID) == nil) == (kind != "guest"))
  }
}
