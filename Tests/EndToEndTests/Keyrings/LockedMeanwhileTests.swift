import AcctTestSupport
import StrictJSON
import Testing

/// A real GNOME Keyring that is locked while a server thinks: after acct has seen that it can be
/// written, and before there is something to write.
///
/// The server holds its answer until the keyring is locked. Then acct waits for the keyring, with
/// what it was given in memory, and says so.
@Suite("A keyring that locks during a command")
struct LockedMeanwhileTests {
  private static let plea = "unlock it within"

  /// Runs a command whose request the server holds until the keyring is locked.
  private func lockedMeanwhile(
    _ command: ChildProcess,
    _ keyring: GnomeKeyring,
    held: () async throws -> Void,
    release: () async throws -> Void
  ) async throws -> RunningProcess {
    let process = try RunningProcess(command)
    try await held()
    try keyring.lock()
    try await release()
    return process
  }

  private func said(_ process: RunningProcess) -> String {
    String(decoding: process.standardError.contents(), as: UTF8.self)
  }

  @Test("A renewal stores the rotated token if the keyring is unlocked in time")
  func renewal() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let server = try await StrictServer()
    let home = try AcctHome(in: keyring)
    try await home.importExpired(from: server)
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let process = try await lockedMeanwhile(home.command(["token"]), keyring) {
      try await server.wait(held: 1)
    } release: {
      try await server.control("release")
    }
    try await process.ready { said(process).contains(Self.plea) }
    try keyring.unlock()
    #expect(await process.ended() == 0, "\(said(process))")
    #expect(try await home.acct("token").standardOutput == process.standardOutput.contents())
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await server.counts()["replays"] == 0)
    #expect(try await home.files(containing: secretForms).isEmpty)
  }

  @Test("A renewal exits 6 if the keyring stays locked, and the next call says what was lost")
  func lostRenewal() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let server = try await StrictServer()
    let home = try AcctHome(in: keyring)
    try await home.importExpired(from: server)
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let process = try await lockedMeanwhile(home.command(["token", "--no-input"]), keyring) {
      try await server.wait(held: 1)
    } release: {
      try await server.control("release")
    }
    #expect(await process.ended() == 6)
    #expect(said(process).contains("could not be stored"))
    #expect(process.standardOutput.contents().isEmpty)
    #expect(try await home.accounts().count == 1)
    try keyring.unlock()
    let next = try await home.acct("token")
    #expect(next.status == 4)
    #expect(next.errorText.contains("interrupted"))
  }

  /// A session in a GNOME Keyring, past by the clock.
  private func scene(_ keyring: GnomeKeyring) async throws -> SessionScene {
    let scene = try await SessionScene(["lifetime": -10], in: keyring)
    try await scene.signIn()
    try await scene.backend.set(["lifetime": 3600])
    try await scene.backend.fault(["endpoint": "session", "kind": "delay", "count": 1])
    return scene
  }

  @Test("A header whose session was not rotated uses what it read before the keyring was locked")
  func header() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let scene = try await scene(keyring)
    let process = try await lockedMeanwhile(scene.home.command(["header"]), keyring) {
      try await scene.backend.wait(held: 1)
    } release: {
      try await scene.backend.release()
    }
    #expect(await process.ended() == 0, "\(said(process))")
    let lines = process.standardOutput.contents()
    #expect(try await scene.home.acct("header").status == 6)
    try keyring.unlock()
    #expect(try await scene.home.acct("header").standardOutput == lines)
    // What the backend had confirmed was stored: it was not asked again.
    #expect(try await scene.backend.counts()["validations"] == 2)
  }

  @Test("A header stores a rotated session if the keyring is unlocked in time")
  func rolledHeader() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let scene = try await scene(keyring)
    try await scene.backend.set(["roll": true])
    let process = try await lockedMeanwhile(scene.home.command(["header"]), keyring) {
      try await scene.backend.wait(held: 1)
    } release: {
      try await scene.backend.release()
    }
    try await process.ready { said(process).contains(Self.plea) }
    try keyring.unlock()
    #expect(await process.ended() == 0, "\(said(process))")
    #expect(try await scene.home.acct("header").standardOutput == process.standardOutput.contents())
    #expect(try await scene.home.acct("status", "--check").status == 0)
    #expect(try await scene.home.files(containing: #"Fe26\.2"#).isEmpty)
  }

  @Test("An add stores its account if the keyring is unlocked in time, else exits 6 and stores nothing")
  func add() async throws {
    for isUnlocked in [true, false] {
      let keyring = try GnomeKeyring()
      defer { keyring.stop() }
      let scene = try await SessionScene(in: keyring)
      try await scene.backend.fault(["endpoint": "session", "kind": "delay", "count": 1])
      let signIn = try await scene.waiting(["alice.example.com"] + (isUnlocked ? [] : ["--no-input"]))
      try signIn.paste(try await scene.backend.callback(from: signIn.waiting.address))
      try await scene.backend.wait(held: 1)
      try keyring.lock()
      try await scene.backend.release()
      try await signIn.waiting.waitUntil(saying: Self.plea)
      if isUnlocked { try keyring.unlock() }
      #expect(await signIn.waiting.process.ended() == (isUnlocked ? 0 : 6))
      #expect(!signIn.waiting.said.contains("Fe26"))
      #expect(try await scene.home.accounts().count == (isUnlocked ? 1 : 0))
      if !isUnlocked {
        try keyring.unlock()
        try await scene.signIn()
      }
      #expect(try await scene.home.acct("header").status == 0)
    }
  }
}
