import Secrets
import AcctPorts
import AcctTestSupport
import SecretServiceKeyring
import Testing

/// The result of a call whose bus or provider does not answer, or ends.
///
/// No test looks at the time: a call that its deadline did not end would not return.
@Suite("The Secret Service keyring without an answer", .timeLimit(.minutes(2)))
struct SecretServiceOutageTests {
  let account = KeyringCall.account
  let token = Keyring.Item(.accessToken, Secret("made-up-token"))

  @Test(
    "A missing bus is reported, and none is launched",
    arguments: ["unix:path=/nonexistent/bus", "autolaunch:", "autolaunch:scope=user;", "", "bus"]
  )
  func noBus(address: String) async throws {
    await expectUnavailable(.secretService(busAddress: address, canPrompt: true))
  }

  @Test("A bus without a keyring is reported")
  func noProvider() async throws {
    let bus = try PrivateBus()
    defer { bus.stop() }
    await expectUnavailable(.secretService(busAddress: bus.address, canPrompt: true))
  }

  @Test("A frozen keyring is given up, and works again when it thaws")
  func frozenProvider() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    gnome.freeze()
    await expectTimeout(gnome.busAddress)
    gnome.thaw()
    try await Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false).prepare(.forbidden)
  }

  @Test("A frozen bus is given up even though it accepts connections")
  func frozenBus() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    gnome.bus.freeze()
    await expectTimeout(gnome.busAddress)
  }

  @Test("A keyring that is killed during a call is reported as gone")
  func killed() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    gnome.freeze()
    let asking = Task { await KeyringCall.read.failure(on: keyring) }
    gnome.kill()
    let failure = await asking.value
    #expect(failure.isUnavailable, "\(String(describing: failure))")
  }

  @Test("A keyring that replaces a killed one is found with its items")
  func restarted() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let keyring = Keyring.secretService(busAddress: gnome.busAddress, canPrompt: false)
    try await keyring.write(account, [token], .forbidden)
    gnome.kill()
    let gone = await keyring.state()
    #expect(gone == .unavailable)
    try gnome.startLocked()
    let locked = await keyring.state()
    #expect(locked == .locked)
    try gnome.unlock()
    let read = try await keyring.read(account, [.accessToken], .forbidden)
    #expect(read == [.accessToken: token.secret])
  }

  private func expectUnavailable(_ keyring: Keyring) async {
    for call in KeyringCall.allCases {
      let failure = await call.failure(on: keyring, .allowed)
      #expect(failure.isUnavailable, "\(call): \(String(describing: failure))")
    }
    let state = await keyring.state()
    #expect(state == .unavailable)
  }

  private func expectTimeout(_ busAddress: String) async {
    let keyring = Keyring.secretService(busAddress: busAddress, canPrompt: true, deadline: .milliseconds(200))
    for call in KeyringCall.allCases {
      let failure = await call.failure(on: keyring, .allowed)
      #expect(failure == .timedOut, "\(call)")
    }
    let state = await keyring.state()
    #expect(state == .unavailable)
  }
}
