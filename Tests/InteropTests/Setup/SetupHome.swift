import AcctTestSupport
import Testing

/// A user's home in which other programs find acct, and acct their settings.
struct SetupHome {
  let folder: TemporaryFolder
  let home: AcctHome
  private let variables: [String: String]

  init(with variables: [String: String] = [:]) async throws {
    folder = try TemporaryFolder()
    home = try .withHelpers()
    self.variables = ["HOME": folder.path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"]
      .merging(variables) { $1 }
  }

  /// Runs a program that finds acct on its `PATH`, or acct itself.
  func run(
    _ program: String,
    _ arguments: [String],
    with more: [String: String] = [:],
    input: String = ""
  ) async throws -> ChildProcess.Output {
    try await home.program(
      program,
      arguments,
      beside: "Examples/programs",
      with: variables.merging(more) { $1 },
      input: input
    ).run()
  }

  /// Runs `acct helper setup`, which must work.
  @discardableResult
  func setUp(_ arguments: String..., with more: [String: String] = [:]) async throws -> String {
    let output = try await run("acct", ["helper", "setup"] + arguments, with: more)
    #expect(output.status == 0, "\(output.errorText)")
    return output.errorText
  }

  /// The bytes of a file; `nil` if there is none.
  func bytes(_ name: String) async throws -> [UInt8]? {
    let output = try await ChildProcess("cat", ["\(folder.path)/\(name)"]).run()
    return output.status == 0 ? output.standardOutput : nil
  }

  func text(_ name: String) async throws -> String? {
    try await bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Writes a file, and the folders to it.
  func write(_ text: String, to name: String) async throws {
    let made = try await ChildProcess(
      "install",
      ["-D", "-m", "600", "/dev/stdin", "\(folder.path)/\(name)"],
      input: text
    )
    .run()
    try #require(made.status == 0, "\(made.errorText)")
  }
}

extension SetupHome {
  /// A home with the programs, without `docker`, `cargo` and `terraform` themselves: acct changes their files on its own.
  static func withPrograms() async throws -> (setup: SetupHome, path: String) {
    let setup = try await SetupHome()
    let folder = setup.folder.path
    for program in ["bin/docker", "bin/cargo", "bin/terraform"] { try await setup.write("#!/bin/sh\n", to: program) }
    try await setup.write("#!/bin/sh\nexec acct helper keyring \"$@\"\n", to: "bin/keyring")
    let chmod = ["755"] + ["docker", "cargo", "terraform", "keyring"].map { "\(folder)/bin/\($0)" }
    try #require(try await ChildProcess("chmod", chmod).run().status == 0)
    try await setup.home.addBearer("work", at: "https://sts.amazonaws.com")
    return (setup, "PATH=\(folder)/bin:\(setup.home.commands):\(Product.source(".build/venv/bin")):/usr/bin:/bin")
  }
}
