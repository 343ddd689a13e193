import AcctTestSupport
import StrictJSON
import Testing

@Suite("Bodies through the signing proxy")
struct SigningProxyFlowTests {
  private static let mib = 1 << 20

  @Test(
    "A body of 64 MiB passes the proxy as it was framed, without more memory",
    arguments: ["sized", "chunked", "down"]
  )
  func memory(_ way: String) async throws {
    let server = try await FlowServer()
    let proxy = try await SigningProxyAtWork(try await server.home())
    let folder = try TemporaryFolder()
    let file = try folder.file("large", mebibytes: 64)
    #expect(try await proxy.status("\(server.url)/bytes/1000", "-o", "/dev/null") == "200")
    let before = try await proxy.memory("VmHWM")
    if way == "down" {
      let curl = proxy.curl("\(server.url)/bytes/\(64 * Self.mib)", "-o", "\(folder.path)/got")
      let output = try await curl.run()
      #expect(output.status == 0, "\(output.errorText)")
      let size = try await ChildProcess("stat", ["-c", "%s", "\(folder.path)/got"]).run()
      #expect(size.text == "\(64 * Self.mib)\n")
    } else {
      let more = way == "sized" ? "Expect:" : "Transfer-Encoding: chunked"
      let output = try await proxy.curl("\(server.url)/echo", "-T", file, "-H", more).run()
      #expect(output.status == 0, "\(output.errorText)")
      let text = try #require(output.text.split(separator: "\n").first)
      let echo = try #require(try JSON(parsing: Array(text.utf8)).objectValue)
      #expect(echo["length"] == .number(JSONNumber(Int64(64 * Self.mib))))
      #expect(echo["chunked"] == .bool(way == "chunked"))
      #expect(echo["sha256"] == "3b6a07d0d404fab4e23b6d34bc6696a6a312dd92821332385e5af7c01c421351")
    }
    #expect(try await proxy.memory("VmHWM") - before < 32 << 10)
  }

  @Test("An answer that the server cuts off is cut off for the proxy's client")
  func cut() async throws {
    let server = try await FlowServer()
    let proxy = try await SigningProxyAtWork(try await server.home())
    let output = try await proxy.curl("\(server.url)/cut/\(4 * Self.mib)", "-o", "/dev/null").run()
    // CURLE_PARTIAL_FILE
    #expect(output.status == 18)
    #expect(try await proxy.status("\(server.url)/status/404") == "404")
  }

  @Test("A short body passes the proxy with its length and its fields")
  func short() async throws {
    let server = try await FlowServer()
    let proxy = try await SigningProxyAtWork(try await server.home())
    let output = try await proxy.curl("\(server.url)/echo", "-d", "body", "-H", "A: b").run()
    let text = try #require(output.text.split(separator: "\n").first)
    let echo = try #require(try JSON(parsing: Array(text.utf8)).objectValue)
    #expect(echo.values(of: "Content-Length") == ["4"])
    #expect(echo.values(of: "A") == ["b"])
    #expect(echo.values(of: "Authorization") == ["Bearer made-up"])
    #expect(echo.values(of: "Host") == [String(server.url.dropFirst("http://".count))])
  }
}
