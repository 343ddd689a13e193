import AcctCLI
import AcctModel
import AcctPorts
import FleetPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A recorded machine with a Secret Service, a vault, and an engine that other machines reach, too.
struct SharingMachine {
  let record = RecordedWorld()
  let vault: InMemoryKeyring
  let engine: SharedEngine
  let settings = SettingsFile()

  init(_ engine: SharedEngine = SharedEngine()) {
    self.engine = engine
    vault = InMemoryKeyring(record.lifeline)
  }

  var world: World {
    var world = record.world()
    world.vaultKeyring = vault.keyring(as: .vault)
    world.vault.isThere = { true }
    world.vault.checkSeal = { () async throws(KeyringFailure) in nil }
    world.sharedKeyring = { kind in engine.keyring(kind, settings, record.lifeline) }
    world.environment.workingDirectory = { "/home/alice" }
    return world
  }

  /// The operations on the keyring as a whole.
  var sharing: SharedKeyring { engine.port(settings, record.lifeline) }

  func acct(_ arguments: String...) async -> Int32 {
    record.clear()
    return await run(arguments)
  }

  /// Uses the vault from now on, and adds these accounts to it.
  func keep(_ handoffs: String...) async { await keep(handoffs) }

  private func keep(_ handoffs: [String]) async {
    record.corrupt(.keyringDecision, with: "vault\n")
    for handoff in handoffs {
      record.provide("-", handoff)
      #expect(await acct("add", "--import", "-") == 0, "\(record.err)")
    }
  }

  /// Makes the keyring, or joins it where another machine has made it.
  func share(_ verb: String = "create") async {
    #expect(await acct("keyring", verb, "etcd", "https://a.example:2379") == 0, "\(record.err)")
  }

  /// Adds these accounts to the vault, makes the keyring, and moves them to it.
  func shareAccounts(_ handoffs: String...) async {
    await keep(handoffs)
    await share()
    #expect(await acct("keyring", "move", "etcd") == 0, "\(record.err)")
  }

  /// The token that an account has, or `nil` without one.
  func token(_ name: String) async -> String? {
    await acct("token", "-a", "\(name).example.com", "--offline") == 0
      ? String(record.out.dropLast()) : nil
  }

  /// The identifier of the only account that has a file here.
  func onlyAccount() throws -> AccountID {
    let ids = try world.files.accounts()
    #expect(ids.count == 1)
    return try #require(ids.first)
  }

  /// The file with the decision.
  var decision: String? { record.file(.keyringDecision) }
}

extension RecordedWorld {
  /// Uses random bytes up, so that they are not those of another world.
  func passRandomBytes(_ times: Int) {
    let entropy = world().entropy
    for _ in 0..<times { _ = entropy.bytes(16) }
  }
}

extension SharingMachine {
  func run(_ arguments: [String]) async -> Int32 { await run(arguments, in: world, sharing) }

  func run(_ arguments: [String], in world: World, _ sharing: SharedKeyring) async -> Int32 {
    await Acct.run(arguments, in: world, sharing: sharing, parsedBy: ParsedLines.parse)
  }
}
