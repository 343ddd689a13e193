import AcctTestSupport

/// One operation on a token, in a process of its own: a module and its tokens are the process's.
struct TokenTool {
  /// The folder of the locks.
  let locks: TemporaryFolder
  /// More of the environment.
  var environment: [String: String] = [:]

  init(_ hsm: SoftHSM? = nil) throws {
    locks = try TemporaryFolder()
    environment = hsm?.environment ?? [:]
  }

  /// A command line of the tool that is yet to be run.
  func command(_ operation: String, _ uri: String, _ options: [String]) -> ChildProcess {
    var child = ChildProcess(Product.executable("TokenTool"), [operation, uri, "locks=\(locks.path)/locks"] + options)
    child.environment.merge(environment) { $1 }
    return child
  }

  /// Runs an operation, and returns the lines that it printed.
  func run(_ operation: String, _ uri: String, _ options: String...) async throws -> [String] {
    try await output(operation, uri, options).text.split(separator: "\n").map(String.init)
  }

  /// Runs an operation with the PIN of ``SoftHSM``, and returns its last line.
  func answer(_ operation: String, _ uri: String, _ options: String...) async throws -> String {
    let pin = "pin=\(SoftHSM.pin)"
    let text = try await output(operation, uri, [pin] + options).text
    return text.split(separator: "\n").last.map(String.init) ?? ""
  }

  func output(_ operation: String, _ uri: String, _ options: [String]) async throws -> ChildProcess.Output {
    try await command(operation, uri, options).run()
  }
}

/// What the tool prints of a key.
struct PrintedKey: Equatable {
  let isNew: Bool
  /// In hexadecimal digits.
  let x, y: String
  let uri: String
  let mayHaveCopies: Bool

  init?(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 4 || words.count == 5, words[0] == "new" || words[0] == "found" else { return nil }
    isNew = words[0] == "new"
    (x, y, uri) = (words[1], words[2], words[3])
    mayHaveCopies = words.last == "copied"
  }
}

extension [UInt8] {
  /// Bytes from hexadecimal digits.
  init(hex: some StringProtocol) {
    self = stride(from: 0, to: hex.count - 1, by: 2).compactMap { offset in
      UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
    }
  }
}
