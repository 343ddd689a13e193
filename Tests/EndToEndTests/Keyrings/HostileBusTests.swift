import AcctTestSupport
import Glibc
import Testing

/// The built `acct` on a session bus that others use as well, or that is not the user's.
@Suite("A session bus with a hostile client")
struct HostileBusTests {
  private static let alice = Product.source("Examples/alice.json")
  private static let url = "https://pds.example/xrpc/method"

  @Test(
    "A hostile client in the keyring's place gets no secret, and its answers are rejected",
    arguments: ["impostor", "guesser"]
  )
  func impostor(manner: String) async throws {
    // The distribution's policy passes unrequested replies on.
    let keyring = try GnomeKeyring(onStockBus: true)
    defer { keyring.stop() }
    let impostor = try await PythonServer("SecretServices/provider.py", [keyring.busAddress, manner])
    for round in 1...6 {
      let home = try AcctHome(in: keyring)
      // The impostor is always first.
      keyring.freeze()
      let adding = try RunningProcess(home.command(["add", "--import", Self.alice]))
      try await impostor.wait(for: 2 * round - 1, linesThatBegin: "forged")
      keyring.thaw()
      let added = await adding.output()
      #expect(added.status == 0, "\(added.errorText)")
      let header = try await home.acct("header", Self.url)
      #expect(header.status == 0, "\(header.errorText)")
      try await impostor.wait(for: 2 * round, linesThatBegin: "forged")
    }
    #expect(!impostor.output.contains("stored"), "\(impostor.output)")
  }

  /// A home without an address of a bus, whose runtime folder has the bus of a keyring.
  private func atHome(
    on keyring: GnomeKeyring,
    _ body: (() async throws -> ChildProcess.Output) async throws -> Void
  ) async throws {
    let home = try AcctHome(in: keyring, with: ["DBUS_SESSION_BUS_ADDRESS": ""])
    let added = try await home.acct("add", "--import", Self.alice)
    try #require(added.status == 0, "\(added.errorText)")
    try await body { try await home.acct("header", Self.url) }
  }

  @Test("A session bus is not used if the one in XDG_RUNTIME_DIR is not a socket")
  func noSocket() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    try await atHome(on: keyring) { header in
      let bus = "\(keyring.bus.folder.path)/run/bus"
      #expect(unsafe rename(bus, bus + ".real") == 0)
      #expect(unsafe symlink(bus + ".real", bus) == 0)
      let output = try await header()
      #expect(output.status == 7)
      #expect(output.errorText.contains("is not a socket"), "\(output.errorText)")
    }
  }

  @Test("A session bus is not used if the one in XDG_RUNTIME_DIR is another user's")
  func othersBus() async throws {
    let rootRights = try await ChildProcess.rootRights()
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    try await atHome(on: keyring) { header in
      let bus = "\(keyring.bus.folder.path)/run/bus"
      let giving = ChildProcess("env", rootRights + ["chown", "65534:65534", bus])
      try #require(await giving.run().status == 0)
      let output = try await header()
      #expect(output.status == 7)
      #expect(output.errorText.contains("another user"), "\(output.errorText)")
    }
  }
}
