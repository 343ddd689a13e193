import AcctTestSupport
import StrictJSON
import Testing

/// The one command that goes on until it is told to stop.
extension LeakStage {
  /// An account with a sign-in and one without, each with an origin of its own.
  func forAll() -> [LeakRow] {
    [
      LeakRow(
        "add",
        [
          "--issuer", server.issuer, "--resource", server.resource, "--client-id", "basic", "--client-secret-file",
          clientSecretFile, "--grant", "client-credentials", "--name", "robot", "-v",
        ]
      ),
      LeakRow(
        "add",
        ["--token", tokenFile, "--allow-origin", guests.origin, "--name", "key", "--header", "X-API-Key", "-v"]
      ),
    ]
  }

  /// Runs a proxy that serves both of them, and uses it as each.
  func runProxyForAll() async throws {
    var row = LeakRow("proxy", ["--all", "--port", "0", "-v"], shows: ["proxy_secret": ["stdout"]])
    row.keeps = ["proxy_secret"]
    row.isEndless = true
    try await watch.run(row) { proxy in
      let address = try await self.address(of: proxy)
      try await self.request(self.server.resource, "resource", by: address, expecting: "200")
      // The server knows no such token, and answers so whether it gets it or not.
      try await self.request(self.guests.origin, "api/edit", by: address, expecting: "401")
      let last = try await self.guests.requests().last
      #expect(last?["api_key"]?.stringValue == Self.staticToken)
      #expect(last?["authorized"] == false)
    }
  }

  /// Runs a proxy on a port, whose path has a secret of its own, and uses it.
  func runProxy() async throws {
    var row = LeakRow("proxy", ["--port", "0", "-v"], shows: ["proxy_secret": ["stdout"]])
    row.keeps = ["proxy_secret"]
    row.isEndless = true
    try await watch.run(row) { try await self.use($0) }
  }

  /// Makes a request by way of a proxy, as a client would that knows nothing of acct.
  private func use(_ proxy: RunningProcess) async throws {
    let address = try await address(of: proxy)
    try await request(server.resource, "resource", by: address, expecting: "200")
  }

  /// Where a proxy is, with the secret part of its address.
  private func address(of proxy: RunningProcess) async throws -> String {
    let address = try await proxy.firstLine()
    watch.secrets.add("proxy_secret", String(address.split(separator: "/").last ?? ""))
    return address
  }

  private func request(_ origin: String, _ path: String, by address: String, expecting status: String) async throws {
    let host = origin.dropFirst("http://".utf8.count)
    let options = ["-sS", "--noproxy", "*", "-w", "%{http_code}", "-o", "/dev/null"]
    let curl = try await ChildProcess("curl", options + ["-H", "Host: \(host)", "\(address)\(path)"]).run()
    #expect(curl.text == status, "\(curl.errorText)")
  }
}
