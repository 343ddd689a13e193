import AcctModel
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// What is particular to the Secret Service, with a real GNOME Keyring on a bus of each test's own.
@Suite("The Secret Service keyring", .timeLimit(.minutes(2)))
struct SecretServiceTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test("marks an item with account and key alone, and replaces it in place")
  func attributes() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try await keyring.write(account, [.init(.accessToken, Secret("made-up-two"))], .forbidden)

    let item = "/org/freedesktop/secrets/collection/login/1"
    let found = try gnome.call(
      "org.freedesktop.Secret.Service.SearchItems",
      "{'xdg:schema': 'dev.acct.Credential'}"
    )
    #expect(found == "([objectpath '\(item)'], @ao [])\n")
    let key = "oauth.\(account).accessToken"
    let attributes = try gnome.call(
      "org.freedesktop.DBus.Properties.Get",
      at: item,
      "org.freedesktop.Secret.Item",
      "Attributes"
    )
    #expect(
      attributes == "(<{'account': '\(account)', 'key': '\(key)', "
        + "'xdg:schema': 'dev.acct.Credential'}>,)\n"
    )
    let label = try gnome.call(
      "org.freedesktop.DBus.Properties.Get",
      at: item,
      "org.freedesktop.Secret.Item",
      "Label"
    )
    #expect(label == "(<'acct: \(key)'>,)\n")
  }

  @Test("asks a keyring that does not know it yet for nothing but what is harmless")
  func harmlessFirst() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let monitor = try Daemon(
      ["dbus-monitor", "--session", "destination='org.freedesktop.secrets'"],
      environment: gnome.environment
    )
    defer { monitor.stop() }
    func lines(before end: String) throws -> [String] {
      var lines: [String] = []
      while true {
        let line = monitor.firstLine()
        if line.isEmpty { throw HarnessFailure("the monitor ended") }
        if line.contains(end) { return lines }
        lines.append(line)
      }
    }
    // What a monitor loses is its name.
    _ = try lines(before: "member=NameLost")
    gnome.freeze()
    let keyring = Keyring.secretService(
      busAddress: gnome.busAddress,
      canPrompt: false,
      deadline: .seconds(1)
    )
    #expect(await KeyringCall.read.failure(on: keyring) == .timedOut)
    try Daemon.run(
      ["dbus-send", "--session", "--dest=org.freedesktop.secrets", "/end", "a.b.End"],
      environment: gnome.environment
    )
    let seen = try lines(before: "member=End")
    #expect(seen.count { $0.hasPrefix("method call") } == 1)
    #expect(seen.contains { $0.contains("\"Collections\"") })
  }

  @Test("lists while locked, and says that it is locked where it sees only digests")
  func listWhileLocked() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try gnome.lock()
    let list = try await keyring.list()
    #expect(list == [account: [.accessToken]])

    gnome.kill()
    try gnome.startLocked()
    for call in KeyringCall.allCases {
      let failure = await call.failure(on: keyring)
      #expect(failure.isLocked, "\(call): \(String(describing: failure))")
    }
    try gnome.unlock()
    let read = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
  }

  @Test("knows what is not there while locked, if it is shown anything at all")
  func notThereWhileLocked() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try gnome.lock()
    // It may be empty, or hide what it has as KeePassXC does.
    for call in KeyringCall.allCases {
      let failure = await call.failure(on: keyring)
      #expect(failure.isLocked, "\(call): \(String(describing: failure))")
    }
    try gnome.unlock()
    try await keyring.write(account, [token], .forbidden)
    try gnome.lock()
    let read = try await keyring.read(account, [.refreshToken], .forbidden)
    #expect(read == [:])
    try await keyring.remove(account, [.refreshToken], .forbidden)
  }

  @Test("says that there is no collection to write to, and nobody to make one")
  func noCollection() async throws {
    let gnome = try GnomeKeyring(withCollection: false)
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    let state = await keyring.state()
    #expect(state == .locked)
    for interaction in [Interaction.forbidden, .allowed] {
      guard case .locked(let reason) = await KeyringCall.prepare.failure(on: keyring, interaction)
      else { throw HarnessFailure("prepare did not say that it is locked") }
      #expect(reason?.contains("default collection") == true)
    }
  }

  @Test(
    "takes a prompt that nobody answers for a refusal",
    arguments: [KeyringCall.read, .write, .remove, .prepare]
  )
  func refusedPrompt(call: KeyringCall) async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: true)
    try await keyring.write(account, [token], .forbidden)
    try gnome.lock()
    // There is no prompter on this bus, so GNOME Keyring ends its prompt at once.
    let failure = await call.failure(on: keyring, .allowed)
    #expect(failure == .locked(reason: "the request to unlock it was dismissed"))
  }
}
