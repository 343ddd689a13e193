import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Testing

@Suite("The header of a shared keyring that its engine has lost or spoilt")
struct DamagedHeaderTests {
  private static let place = "/acct/main/header"

  let fleet: Fleet
  let here: TestMachine
  let header: [UInt8]

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    // No object of the engine is new to this machine, so none makes it ask for the header.
    try here.accounts().fetchAll(.forbidden).confirm()
    header = try #require(fleet.engine.objects[Self.place]).bytes
  }

  /// Whether a call fails for the header.
  private func isRefused(_ body: () async throws -> Void) async -> Bool {
    do {
      try await body()
      return false
    } catch {
      guard case .damagedHeader? = error as? KeyringFailure else { return false }
      return true
    }
  }

  /// The same header with one digit of its code changed: as it looks, any machine could have made it.
  private var forged: [UInt8] {
    var forged = header
    let digit = forged.count - 4
    forged[digit] = forged[digit] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    return forged
  }

  @Test(
    "One that is empty, rubbish, cut or forged is reported by the next look at the engine, and one restored is good"
  )
  func reported() async throws {
    let cut = [1, 20, header.count / 2, header.count - 2].map { Array(header.prefix($0)) }
    for bytes in [[], Array("rubbish".utf8), Array("{}".utf8), [0xFF, 0], forged] + cut {
      fleet.engine.put(bytes, at: Self.place)
      #expect(
        await isRefused { _ = try here.vault().sharedKeyring.report() },
        "\(String(decoding: bytes, as: UTF8.self))"
      )
      // The copies serve on, and nothing is renewed.
      #expect(try await here.item(.refreshToken, of: Made.alice) == Secret("R0"))
    }
    fleet.engine.put(header, at: Self.place)
    #expect(try !here.vault().sharedKeyring.report().isRolledBack)
  }

  @Test("One of a later version of acct is told as that, and so is an unknown kind of recipient")
  func later() throws {
    let text = String(decoding: header, as: UTF8.self)
    let changes = [(#""version":3"#, #""version":4"#), (#""kind":"keyfile""#, #""kind":"of-later""#)]
    for (known, later) in changes {
      try #require(text.contains(known), "\(text)")
      fleet.engine.put(Array(text.replacing(known, with: later).utf8), at: Self.place)
      #expect(throws: KeyringFailure.newer(part: "the shared keyring")) {
        _ = try here.vault().sharedKeyring.report()
      }
    }
  }

  @Test("Nothing is claimed under a damaged header, and no machine joins by it")
  func refused() async throws {
    let accounts = try here.accounts()
    _ = try accounts.fetch(Made.alice, .forbidden)
    fleet.engine.put(Array(header.dropLast(9)), at: Self.place)
    #expect(await isRefused { _ = try await accounts.claim(Made.intent(), .forbidden) })
    let other = try fleet.machine(apart: "other")
    #expect(await isRefused { try other.vault().sharedKeyring.join(Fleet.settings, .forbidden) })
  }

  @Test("One that is gone, or older than this machine's, is reported as a restored engine is")
  func older() async throws {
    fleet.engine.delete(Self.place)
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
    fleet.engine.put(header, at: Self.place)
    #expect(try !here.vault().sharedKeyring.report().isRolledBack)
    let newcomer = TestMachine("newcomer", home: try fleet.folder.folder("newcomer"), engine: fleet.engine)
    let here = here
    try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { code in
      _ = try? here.membership.approve(code, .forbidden)
    }
    fleet.engine.put(header, at: Self.place)
    #expect(try here.vault().sharedKeyring.report().isRolledBack)
  }

  @Test("A damaged one is reported where the key is not available, too")
  func locked() async throws {
    let machine = TestMachine(
      "here",
      home: here.home,
      keyFile: try fleet.folder.file("other", containing: [UInt8](repeating: 1, count: 32)),
      engine: fleet.engine
    )
    fleet.engine.put(Array("rubbish".utf8), at: Self.place)
    #expect(await isRefused { _ = try machine.vault().sharedKeyring.report() })
  }
}
