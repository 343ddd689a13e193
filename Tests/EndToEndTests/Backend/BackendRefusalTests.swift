import AcctTestSupport
import StrictJSON
import Testing

@Suite("A backend that does not hand over what it should")
struct BackendRefusalTests {
  @Test("A backend's faulty answer is rejected, and nothing is stored", arguments: BackendFault.all)
  func refused(fault: BackendFault) async throws {
    let scene = try await BackendScene(fault.settings)
    let refusal = try scene.home.refusal(
      in: try await scene.loopback(fault.arguments + ["--json", "--timeout", "20"]).run()
    )
    #expect(refusal.code == fault.code, "\(refusal.message)")
    #expect(refusal.status == fault.status, "\(refusal.message)")
    try await scene.expectNothingKept()
    #expect(try await scene.backend.violations() == [])
    // A code is good for one use, and a start makes work: neither is sent twice.
    let calls = try await scene.backend.calls()
    for path in ["/api/auth/start", "/api/auth/tokens"] {
      #expect(calls.count { $0 == path } <= 1)
    }
  }

  @Test("A backend's sign-in page at an unsafe address is not opened")
  func unsafeAddress() async throws {
    for address in ["http://login.example/", "https://a@login.example/"] {
      let scene = try await BackendScene(["start": ["authUrl": .string(address)]])
      #expect(try await scene.refusal().code == "urlRefused")
      #expect(try await scene.backend.calls() == ["/api/auth/start"])
    }
  }

  @Test("A backend that can't be reached is a network failure, not a bad account")
  func unreachable() async throws {
    let port = try FreePort()
    let home = try AcctHome()
    let ended = try await home.acct("add", "--json", "--backend", "http://127.0.0.1:\(port.number)")
    let refusal = try home.refusal(in: ended)
    #expect(refusal.code == "network")
    #expect(refusal.status == 10)
  }

  @Test("A malformed command line sends nothing to the backend")
  func usage() async throws {
    let home = try AcctHome()
    for arguments in [
      ["--backend", "http://app.example"], ["--backend", "app.example"], ["--backend", "https://app.example?x=1"],
      ["--backend", "https://app.example", "--issuer", "https://as.example", "--client-id", "x"],
      ["--backend", "https://app.example", "--import", "-"], ["--backend", "https://app.example", "--device"],
      ["--backend", "https://app.example", "--scope", "x"],
      ["--backend", "https://app.example", "--callback", "https://app.example/"],
      ["--backend", "https://app.example", "--callback", "mailto:x"],
      ["--backend", "https://app.example", "https://pds.example"], ["alice.test", "--callback", "limit://auth"],
    ] {
      let ended = try await home.command(["add"] + arguments).run()
      #expect([64, 8].contains(ended.status), "\(arguments) \(ended.errorText)")
    }
  }
}
