import AcctTestSupport
import StrictJSON
import Testing

/// A backend that keeps sessions, and a user of it.
struct SessionScene {
  let backend: SessionBackend
  let home: AcctHome

  /// - Parameters:
  ///   - settings: Of the backend.
  ///   - keyring: Where the session is kept; a vault of its own without one.
  /// - Throws: What starting a backend throws.
  init(_ settings: JSON = [:], in keyring: GnomeKeyring? = nil) async throws {
    backend = try await SessionBackend(settings)
    home = if let keyring { try AcctHome(in: keyring) } else { try AcctHome() }
  }

  /// A backend, and a home that has accounts elsewhere as well.
  init(at backend: SessionBackend, in home: AcctHome) {
    self.backend = backend
    self.home = home
  }

  /// A sign-in that waits for its callback to be pasted.
  func waiting(_ arguments: [String] = ["alice.example.com"]) async throws -> PastedSignIn {
    try await PastedSignIn(self, arguments)
  }

  /// Signs in to the end, and returns what was said.
  @discardableResult
  func signIn(_ arguments: String...) async throws -> String {
    let signIn = try await waiting(["alice.example.com"] + arguments)
    try signIn.paste(try await backend.callback(from: signIn.waiting.address))
    let status = await signIn.waiting.process.ended()
    try #require(status == 0, "\(signIn.waiting.said)")
    return signIn.waiting.said
  }

  /// Runs a command and reads the one JSON object that it prints.
  func json(_ arguments: String..., status: Int32 = 0) async throws -> JSONObject {
    let output = try await home.command(arguments + ["--json"]).run()
    #expect(output.status == status, "\(output.errorText)")
    return try #require(try JSON(parsing: output.standardOutput).objectValue)
  }

  /// The account, as `status` tells it.
  func account(status: Int32 = 0) async throws -> JSONObject {
    try #require(try await json("status", status: status)["account"]?.objectValue)
  }

  /// Asserts that the backend has seen nothing that only a wrong client does.
  func expectNothingWrong(_ location: SourceLocation = #_sourceLocation) async throws {
    #expect(try await backend.violations() == [], sourceLocation: location)
  }
}

extension SessionScene {
  /// A session that is past by the clock, at a backend whose next confirmation lasts an hour.
  static func due(_ settings: JSON = [:]) async throws -> SessionScene {
    let scene = try await SessionScene(["lifetime": -10])
    try await scene.signIn()
    try await scene.backend.set(["lifetime": 3600])
    try await scene.backend.set(settings)
    return scene
  }

  func header() async throws -> ChildProcess.Output { try await home.acct("header", "\(backend.address)/api") }
}

/// A sign-in whose user brings the callback back by hand.
struct PastedSignIn {
  let waiting: WaitingSignIn
  private let input: OpenInput

  init(_ scene: SessionScene, _ arguments: [String]) async throws {
    input = try OpenInput()
    let add = ["add", "--session", scene.backend.address, "--no-browser"] + arguments
    waiting = try await WaitingSignIn(input.feeding(scene.home.command(add)))
  }

  func paste(_ line: String) throws { try input.type(line) }
}
