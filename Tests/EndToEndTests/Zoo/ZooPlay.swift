import AcctTestSupport
import StrictJSON
import Testing

/// A server of the zoo at work, and a home whose commands meet it.
struct ZooPlay {
  private let server: StrictServer
  private let home: AcctHome
  /// What `${…}` stands for.
  private let names: [String: String]
  private let folder: TemporaryFolder

  /// Plays a file.
  static func run(_ name: String) async throws {
    let file = try ZooFile(name)
    try await ZooPlay(name, file).run(file.play)
  }

  /// Starts the server, and makes acct know it if it is one that acct knows by name.
  private init(_ name: String, _ file: ZooFile) async throws {
    server = try await StrictServer(playing: ZooFile.path(of: name))
    folder = try TemporaryFolder()
    names = [
      "issuer": server.issuer, "base": server.base, "resource": server.resource,
      "host": String(server.base.dropFirst("http://".count)),
      "secret_file": try folder.file("secret", containing: "made-up-secret\n"),
    ]
    guard let provider = file.provider else {
      home = try AcctHome()
      return
    }
    // XDG_CONFIG_DIRS: beside the home, which acct makes itself.
    let configuration = try folder.folder("configuration")
    for name in ["configuration/acct", "configuration/acct/providers"] { _ = try folder.folder(name) }
    home = try AcctHome(with: ["XDG_CONFIG_DIRS": configuration])
    _ = try folder.file(
      "configuration/acct/providers/\(provider.name).json",
      containing: filled(provider.description)
    )
  }

  private func filled(_ text: String) -> String {
    names.reduce(text) {
      $0.split(separator: "${\($1.key)}", omittingEmptySubsequences: false).joined(separator: $1.value)
    }
  }

  private func run(_ steps: [ZooStep]) async throws {
    for step in steps {
      switch step {
      case .acct(let command): try await run(command)
      case .control(let command, let body): try await server.control(command, body)
      case .asked(let counts):
        for (endpoint, count) in counts {
          #expect(try await Int64(server.requests(to: endpoint).count) == count, "\(endpoint)")
        }
      }
    }
    try await server.expectNothingWrong()
  }

  private func run(_ command: ZooCommand) async throws {
    let arguments = command.arguments.map(filled)
    var process =
      command.later == 0
      ? home.command(arguments) : home.command(secondsAhead: Int(command.later), arguments)
    process.environment["BROWSER"] = StrictServer.desktopBrowser
    process.environment["STRICT_BROWSER"] = command.browser
    let output = try await process.run()
    let told: Comment =
      "acct \(arguments.joined(separator: " ")): \(output.status)\n\(output.text)\n\(output.errorText)"
    #expect(Int64(output.status) == command.exit, told)
    for words in command.says { #expect(output.errorText.contains(filled(words)), told) }
    for words in command.unsaid { #expect(!output.errorText.contains(filled(words)), told) }
    for words in command.prints { #expect(output.text.contains(filled(words)), told) }
    guard let expected = command.json else { return }
    let wanted = try JSON(parsing: Array(filled(String(decoding: expected.serialized(), as: UTF8.self)).utf8))
    #expect(try JSON(parsing: output.standardOutput).differences(from: wanted) == [], told)
  }
}
