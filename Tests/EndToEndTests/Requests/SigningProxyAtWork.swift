import AcctTestSupport
import Glibc
import Testing

/// A signing proxy that serves, and the unchanged clients that call it.
struct SigningProxyAtWork {
  let process: RunningProcess
  /// Deleted when the last reference to it is released.
  private let home: AcctHome
  /// What it printed: its socket, or the address with its secret.
  let place: String

  /// Starts a proxy, and returns when it serves.
  init(_ home: AcctHome, _ options: String...) async throws {
    self.home = home
    process = try RunningProcess(home.command(["proxy"] + options))
    place = try await process.firstLine()
  }

  /// Starts a proxy by another command line, and returns when it serves.
  init(_ home: AcctHome, running command: ChildProcess) async throws {
    self.home = home
    process = try RunningProcess(command)
    place = try await process.firstLine()
  }

  /// A request by curl(1), whose output ends with a line with the status.
  ///
  /// - Parameters:
  ///   - url: As it would be without the proxy; over http, since the proxy speaks TLS for it.
  ///   - options: Of curl.
  /// - Returns: The command, not started yet.
  func curl(_ url: String, _ options: String...) -> ChildProcess {
    let way: [String]
    if place.hasPrefix("/") {
      way = ["--unix-socket", place, url]
    } else {
      let host = url.split(separator: "/", maxSplits: 2)[1]
      let path = url.split(separator: "/", maxSplits: 2).dropFirst(2).first ?? ""
      way = ["-H", "Host: \(host)", place + path]
    }
    return ChildProcess("curl", ["-sS", "--noproxy", "*", "-w", "\n%{http_code}"] + options + way)
  }

  /// The status of a request, as curl saw it.
  func status(_ url: String, _ options: String...) async throws -> String {
    var curl = curl(url)
    curl.arguments += options
    let output = try await curl.run()
    try #require(output.status == 0, "\(output.errorText)")
    return String(output.text.split(separator: "\n").last ?? "")
  }

  /// What it has said on standard error.
  var said: String { String(decoding: process.standardError.contents(), as: UTF8.self) }

  /// Presses Ctrl-C, and returns the exit status.
  func interrupted() async -> Int32 {
    process.send(SIGINT)
    return await process.ended()
  }

  /// A line of its `/proc/PID/status`, in KiB: `VmRSS`, or `VmHWM`, which is the peak.
  func memory(_ name: String) async throws -> Int {
    let status = try await ChildProcess("cat", ["/proc/\(process.id)/status"]).run().text
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
    return try #require(Int(line.filter(\.isNumber)))
  }
}
