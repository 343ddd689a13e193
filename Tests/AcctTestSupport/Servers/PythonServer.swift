import StrictJSON

/// A server in Python of a test's own.
///
/// It says where it is in its first line, and ends when nothing holds this any more: whatever
/// happens to the test, its standard input closes.
package final class PythonServer: Sendable {
  /// Its first line.
  package let greeting: String
  private let starter: ServerStarter
  private let input: OpenInput
  private let written: CapturedFile

  /// Starts a server, and returns when it serves.
  ///
  /// - Parameters:
  ///   - script: Below `Tests`.
  ///   - arguments: What it is told.
  /// - Throws: ``ProcessFailure`` if it does not start.
  package init(_ script: String, _ arguments: [String] = []) async throws {
    starter = try ServerStarter.shared.get()
    input = try OpenInput()
    let written = try CapturedFile()
    self.written = written
    try starter.start(Product.source("Tests/\(script)"), arguments, input: input, output: written)
    try await starter.ready { written.contents().contains(UInt8(ascii: "\n")) }
    let line = written.contents().prefix { $0 != UInt8(ascii: "\n") }
    greeting = String(decoding: line, as: UTF8.self)
  }

  /// The same with settings that differ from an ordinary server's.
  convenience init(_ script: String, _ arguments: [String] = [], settings: JSON) async throws {
    let text = String(decoding: settings.serialized(), as: UTF8.self)
    try await self.init(script, arguments + ["--settings", text])
  }

  /// Everything that it has written.
  package var output: String { String(decoding: written.contents(), as: UTF8.self) }

  /// Waits until it has written so many lines that begin so.
  ///
  /// - Throws: ``ProcessFailure`` if it does not within a minute.
  package func wait(for count: Int = 1, linesThatBegin prefix: String) async throws {
    try await starter.ready { output.split(separator: "\n").count { $0.hasPrefix(prefix) } >= count }
  }

  /// One of the addresses that its first line tells.
  ///
  /// - Throws: ``HarnessFailure`` if it does not.
  package func address(_ name: String) throws -> String {
    guard let address = try JSON(parsing: Array(greeting.utf8))[name]?.stringValue else {
      throw HarnessFailure("a server said something else than its address: \(output)")
    }
    return address
  }

  /// A way to talk to it, at one of its addresses.
  func http(at address: String) throws -> LoopbackHTTP {
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0.prefix { $0 != "/" }) }) else {
      throw HarnessFailure("a server said something else than its address: \(output)")
    }
    return LoopbackHTTP(port: port)
  }
}
