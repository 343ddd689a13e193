import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// What is particular to the Secret Service, with a real GNOME Keyring on a bus of each test's own.
@Suite("The Secret Service keyring", .timeLimit(.minutes(2)))
struct SecretServiceTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test("A Secret Service item has account and key alone as attributes, and is replaced in place")
  func attributes() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    try await keyring.write(account, [.init(.accessToken, Secret("made-up-two"))], .forbidden)

    let item = "/org/freedesktop/secrets/collection/login/1"
    let found = try gnome.call("org.freedesktop.Secret.Service.SearchItems", "{'xdg:schema': 'dev.acct.Credential'}")
    #expect(found == "([objectpath '\(item)'], @ao [])\n")
    let key = "oauth.\(account).accessToken"
    let attributes = try gnome.call(
      "org.freedesktop.DBus.Properties.Get",
      at: item,
      "org.freedesktop.Secret.Item",
      "Attributes"
    )
    #expect(
      attributes == "(<{'account': '\(account)', 'key': '\(key)', " + "'xdg:schema': 'dev.acct.Credential'}>,)\n"
    )
    let label = try gnome.call("org.freedesktop.DBus.Properties.Get", at: item, "org.freedesktop.Secret.Item", "Label")
    #expect(label == "(<'acct: \(key)'>,)\n")
  }

  @Test("The first call to a Secret Service provider on a new connection is harmless")
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
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false, deadline: .seconds(1))
    #expect(await KeyringCall.read.failure(on: keyring) == .timedOut)
    try Daemon.run(
      ["dbus-send", "--session", "--dest=org.freedesktop.secrets", "/end", "a.b.End"],
      environment: gnome.environment
    )
    let seen = try lines(before: "member=End")
    #expect(seen.count { $0.hasPrefix("method call") } == 1)
    #expect(seen.contains { $0.contains("\"Collections\"") })
  }

  @Test("A locked keyring is listed, and reported as locked if it shows only digests")
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

  @Test("A locked keyring tells what is missing if it shows any item")
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

  @Test("A keyring without a collection to write to is reported as locked, with the reason")
  func noCollection() async throws {
    let gnome = try GnomeKeyring(withCollection: false)
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    let state = await keyring.state()
    #expect(state == .locked)
    for interaction in [Interaction.forbidden, .allowed] {
      guard case .locked(let reason, _) = await KeyringCall.prepare.failure(on: keyring, interaction)
      else { throw HarnessFailure("prepare did not say that it is locked") }
      #expect(reason?.contains("default collection") == true)
    }
  }

  @Test("A prompt without an answer counts as a refusal", arguments: [KeyringCall.read, .write, .remove, .prepare])
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
