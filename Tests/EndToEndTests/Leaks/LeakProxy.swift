import AcctTestSupport
import Glibc
import Testing

/// The one command that goes on until it is told to stop.
extension LeakStage {
  /// On a port, whose path has a secret of its own.
  var proxying: LeakRow {
    var row = LeakRow("proxy", ["--port", "0", "-v"], shows: ["proxy_secret": "stdout"])
    row.keeps = "proxy_secret"
    return row
  }

  /// Makes a request by way of a proxy, as a client would that knows nothing of acct.
  ///
  /// - Parameter proxy: The process, or a tool that runs it.
  /// - Throws: What the processes throw.
  func useProxy(_ proxy: RunningProcess) async throws {
    let address = try await proxy.firstLine()
    secrets.add("proxy_secret", String(address.split(separator: "/").last ?? ""))
    let host = server.resource.dropFirst("http://".utf8.count)
    let options = ["-sS", "--noproxy", "*", "-w", "%{http_code}", "-o", "/dev/null"]
    let url = "\(address)resource"
    let curl = try await ChildProcess("curl", options + ["-H", "Host: \(host)", url]).run()
    #expect(curl.text == "200", "\(curl.errorText)")
  }

  /// Traces a proxy that is used, like ``run(_:_:)``.
  func runProxy() async throws {
    let run = try await TracedRun(command(proxying)) { process in
      try await self.useProxy(process)
      process.send(SIGTERM)
    }
    #expect(run.output.status == 0, "\(run.output.errorText)")
    runs.append((proxying, run))
  }

  /// Keeps the memory of a proxy that has answered a request, and waits for the next one.
  func rememberProxy() async throws {
    let run = try await RememberedRun(command(proxying)) { process, remember in
      try await self.useProxy(process)
      try await remember()
      process.send(SIGTERM)
    }
    #expect(run.output.status == 0, "\(run.output.errorText)")
    remembered.append((proxying, run))
  }
}
