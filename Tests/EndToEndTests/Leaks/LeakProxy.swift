import AcctTestSupport
import Testing

/// The one command that goes on until it is told to stop.
extension LeakStage {
  /// Runs a proxy on a port, whose path has a secret of its own, and uses it.
  func runProxy() async throws {
    var row = LeakRow("proxy", ["--port", "0", "-v"], shows: ["proxy_secret": ["stdout"]])
    row.keeps = ["proxy_secret"]
    row.isEndless = true
    try await watch.run(row) { try await self.use($0) }
  }

  /// Makes a request by way of a proxy, as a client would that knows nothing of acct.
  private func use(_ proxy: RunningProcess) async throws {
    let address = try await proxy.firstLine()
    watch.secrets.add("proxy_secret", String(address.split(separator: "/").last ?? ""))
    let host = server.resource.dropFirst("http://".utf8.count)
    let options = ["-sS", "--noproxy", "*", "-w", "%{http_code}", "-o", "/dev/null"]
    let url = "\(address)resource"
    let curl = try await ChildProcess("curl", options + ["-H", "Host: \(host)", url]).run()
    #expect(curl.text == "200", "\(curl.errorText)")
  }
}
