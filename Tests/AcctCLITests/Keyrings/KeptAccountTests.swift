import AcctCLI
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `ACCT_KEYRING=vault acct add` puts an account into the vault although a shared keyring is in use.
@Suite("An account that is kept in the vault beside those that machines share")
struct KeptAccountTests {
  let machine = SharingMachine()

  /// Adds an account as long as `ACCT_KEYRING` names the vault.
  private func keep(_ handoff: String = Handoffs.bearer()) async {
    machine.record.set("ACCT_KEYRING", to: "vault")
    await add(handoff)
    machine.record.set("ACCT_KEYRING", to: "auto")
  }

  private func add(_ handoff: String) async {
    machine.record.provide("-", handoff)
    #expect(await machine.acct("add", "--import", "-") == 0, "\(machine.record.err)")
  }

  /// The record of an account in the shared keyring, made from the file of the one that is kept in the vault.
  private func shared(
    _ id: AccountID,
    named name: String? = nil,
    at issuer: String = "https://issuer.example"
  ) throws -> SharedEngine.Stored {
    let file = try #require(machine.record.file(.account(id)))
    var members = try #require(try JSON(parsing: Array(file.utf8)).objectValue)
    members["keptIn"] = nil
    if let name { members["name"] = .string(name) }
    let text = String(decoding: JSON.object(members).serialized(), as: UTF8.self)
      .replacing("https://issuer.example", with: issuer)
    #expect(!text.contains("keptIn"))
    return SharedEngine.Stored(
      name: try AccountName(name ?? "bob.example.com"),
      record: Array(text.utf8),
      items: [.accessToken: Secret("theirs"), .expiresAt: Secret("2027-01-15T09:00:00Z")]
    )
  }

  @Test("Two accounts of one name, in the vault and of another machine, are told apart by their ids")
  func oneName() async throws {
    await machine.share()
    await keep()
    let kept = try machine.onlyAccount()
    let theirs = AccountID(random: InlineArray(repeating: 0xEE))
    var stored = try shared(kept)
    let text = String(decoding: stored.record, as: UTF8.self)
    stored.record = Array(text.replacing(kept.description, with: theirs.description).utf8)
    machine.engine.put(stored, as: theirs)
    #expect(await machine.acct("list") == 0)
    #expect(machine.record.accountFiles == 2)
    #expect(await machine.acct("token", "-a", "bob.example.com") == 5)
    let said = machine.record.err.first ?? ""
    #expect(said.contains(kept.description) && said.contains(theirs.description), "\(said)")
    #expect(machine.record.out.isEmpty)
    #expect(await machine.acct("token", "-a", kept.description) == 0)
    #expect(machine.record.out == "opaque-bob\n")
    #expect(await machine.acct("token", "-a", theirs.description) == 0)
    #expect(machine.record.out == "theirs\n")
    #expect(await machine.acct("rename", kept.description, "mine") == 0, "\(machine.record.err)")
    #expect(await machine.acct("token", "-a", "bob.example.com") == 0)
    #expect(machine.record.out == "theirs\n")
  }

  @Test("A shared account with the identifier of one in the vault stays apart from it in all commands")
  func oneIdentifier() async throws {
    await machine.share()
    await keep()
    let id = try machine.onlyAccount()
    let theirs = try shared(id, named: "theirs", at: "https://other.example")
    machine.engine.put(theirs, as: id)
    let file = machine.record.file(.account(id))
    #expect(await machine.acct("list") == 0)
    #expect(machine.record.file(.account(id)) == file)
    #expect(await machine.token("bob") == "opaque-bob")
    for keyring in ["secret-service", "etcd"] {
      #expect(await machine.acct("keyring", "move", keyring) == 0, "\(machine.record.err)")
      #expect(machine.record.err.first?.contains("0 accounts") == true, "\(machine.record.err)")
      #expect(machine.record.file(.account(id)) == file)
      #expect(machine.engine.accounts == [id: theirs])
      #expect(await machine.token("bob") == "opaque-bob")
    }
    #expect(await machine.acct("remove", "--local", "bob.example.com") == 0)
    #expect(machine.record.err == ["acct: removed bob.example.com"])
    #expect(machine.engine.accounts == [id: theirs])
    #expect(machine.vault.count == 0)
    // From here on it is one like any other of the shared keyring.
    #expect(await machine.acct("token", "-a", "theirs") == 0, "\(machine.record.err)")
    #expect(machine.record.out == "theirs\n")
  }

  @Test("A sign-in makes a second account in the shared keyring, and one for the vault renews that there")
  func signedIn() async throws {
    await machine.share()
    await keep()
    let kept = try machine.onlyAccount()
    await add(Handoffs.bearer(changing: ["access_token": "shared"]))
    let stored = try #require(machine.engine.accounts.first)
    #expect(machine.engine.accounts.count == 1)
    #expect(stored.key != kept)
    #expect(stored.value.name.description == "bob.example.com-2")
    #expect(await machine.token("bob") == "opaque-bob")
    await keep(Handoffs.bearer(changing: ["access_token": "newer"]))
    #expect(machine.vault.items.keys.map(\.self) == [kept])
    #expect(await machine.token("bob") == "newer")
    #expect(machine.engine.accounts == [stored.key: stored.value])
    #expect(await machine.acct("list") == 0)
    #expect(machine.record.accountFiles == 2)
    #expect(machine.record.file(.account(kept))?.contains("keptIn") == true)
    // The one without the variable is renewed in its place, too.
    await add(Handoffs.bearer(changing: ["access_token": "shared-anew"]))
    #expect(
      machine.engine.accounts.values.map { $0.items[.accessToken] } == [Secret("shared-anew")]
    )
    #expect(await machine.token("bob") == "newer")
  }

  @Test("Leaving the shared keyring keeps the accounts in the vault, which is in use from then on")
  func left() async throws {
    await machine.share()
    await keep()
    let kept = try machine.onlyAccount()
    await add(Handoffs.bearer("carol"))
    #expect(await machine.acct("keyring", "leave") == 0, "\(machine.record.err)")
    #expect(machine.decision == "vault\n")
    #expect(try machine.onlyAccount() == kept)
    #expect(await machine.token("bob") == "opaque-bob")
    #expect(machine.engine.accounts.count == 1)
    await add(Handoffs.bearer("dave"))
    #expect(machine.vault.items.count == 2)
    #expect(await machine.acct("list", "--json") == 0)
    #expect(machine.record.json?.objectValue?["accounts"]?.arrayValue?.count == 2)
  }

  @Test("Leaving deletes no damaged file that may be that of an account in the vault")
  func damaged() async throws {
    await machine.share()
    await keep()
    let kept = try machine.onlyAccount()
    await add(Handoffs.bearer("carol"))
    let shared = try #require(machine.engine.accounts.keys.first)
    machine.record.corrupt(.account(kept), with: #"{"keptIn":"vault""#)
    machine.record.corrupt(.account(shared), with: "{")
    #expect(await machine.acct("keyring", "leave") == 0, "\(machine.record.err)")
    #expect(try machine.onlyAccount() == kept)
  }

  /// The machine as a process sees it that waits for the account's lock, while another one moves the account to the
  /// shared keyring.
  private func whileMoved(_ id: AccountID, _ stored: SharedEngine.Stored) -> World {
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { [machine] wanted, seconds throws(FilesFailure) in
      let held = try await lock(wanted, seconds)
      if wanted == .account(id), machine.engine.accounts.isEmpty, machine.vault.count > 0 {
        machine.engine.put(stored, as: id)
        machine.record.corrupt(.account(id), with: String(decoding: stored.record, as: UTF8.self))
        do throws(KeyringFailure) {
          try await machine.vault.keyring(as: .vault).remove(id, ItemKind.allCases, .forbidden)
        } catch {
          Issue.record("\(error)")
        }
      }
      return held
    }
    machine.record.clear()
    return world
  }

  @Test("A change to an account that is moved meanwhile is made where it is then")
  func changed() async throws {
    await machine.share()
    await keep()
    let id = try machine.onlyAccount()
    let world = whileMoved(id, try shared(id))
    let words = ["allow", "bob.example.com", "https://a.example"]
    #expect(await Acct.run(words, in: world) == 0, "\(machine.record.err)")
    let record = try #require(machine.engine.accounts[id]?.record)
    #expect(String(decoding: record, as: UTF8.self).contains("https://a.example"))
  }

  @Test("An account that is moved meanwhile is removed where it is then")
  func removed() async throws {
    await machine.share()
    await keep()
    let id = try machine.onlyAccount()
    let world = whileMoved(id, try shared(id))
    let words = ["remove", "--local", "bob.example.com"]
    #expect(await Acct.run(words, in: world) == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts.isEmpty)
    #expect(machine.record.accountFiles == 0)
  }
}
