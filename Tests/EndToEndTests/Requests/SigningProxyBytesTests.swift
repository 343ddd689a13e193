import AcctTestSupport
import Testing

/// The proxy between a server and a client that read each byte.
@Suite("Bytes that the signing proxy passes on", .timeLimit(.minutes(2)))
struct SigningProxyBytesTests {
  private let server: FlowServer
  private let home: AcctHome

  init() async throws {
    server = try await FlowServer()
    home = try await server.home()
  }

  private var host: String { String(server.url.dropFirst("http://".count)) }

  /// A request on a connection that stays open after it.
  private func request(_ line: String, _ fields: String = "") -> String {
    "\(line) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n"
  }

  /// All that comes back for these bytes, each as the character of its number, until the proxy closes.
  private func answer(_ proxy: SigningProxyAtWork, to bytes: [UInt8]) async throws -> String {
    var client = ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Tests/StrictServer/raw_client.py"), proxy.place]
    )
    client.input = bytes
    let output = try await client.run()
    try #require(output.status == 0, "\(output.errorText)")
    return String(String.UnicodeScalarView(output.standardOutput.map { Unicode.Scalar($0) }))
  }

  @Test("A length beside chunks is dropped by the proxy, so no part of the body is another answer")
  func bothFramings() async throws {
    let proxy = try await SigningProxyAtWork(home)
    let requests = request("GET /forging/both") + request("GET /echo", "Connection: close\r\n")
    let answers = try await answer(proxy, to: Array(requests.utf8))
    let end = try #require(answers.firstRange(of: "\r\n\r\n"))
    let head = answers[..<end.lowerBound].lowercased()
    #expect(answers.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(!head.contains("content-length"))
    // As a chunk, whose size comes first.
    let chunk = "hello".utf8.count + 44
    #expect(
      answers.contains("\r\n\r\n\(String(chunk, radix: 16))\r\nhelloHTTP/1.1 200 OK"),
      "\(answers)"
    )
    #expect(answers.contains("forged\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"), "\(answers)")
  }

  @Test(
    "Two lengths, or an unrequested switch of protocols, make the proxy answer 502 and close",
    arguments: ["lengths", "list", "switch"]
  )
  func contradictions(_ kind: String) async throws {
    let proxy = try await SigningProxyAtWork(home)
    let requests = request("GET /forging/\(kind)") + request("GET /echo")
    let answers = try await answer(proxy, to: Array(requests.utf8))
    #expect(answers.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"), "\(answers)")
    #expect(answers.contains("\r\nConnection: close\r\n"))
    #expect(!answers.contains("forged"))
    #expect(answers.ranges(of: "HTTP/1.1 ").count == 1)
  }

  @Test("A method with a hyphen passes the proxy unchanged")
  func hyphen() async throws {
    let proxy = try await SigningProxyAtWork(home)
    let bytes = Array(request("M-SEARCH /echo", "Connection: close\r\n").utf8)
    #expect(try await answer(proxy, to: bytes).contains(#""method": "M-SEARCH""#))
  }

  @Test("Bytes of a field that are not UTF-8 pass the proxy unchanged in both directions")
  func latin() async throws {
    let proxy = try await SigningProxyAtWork(home)
    let up = Array("GET /echo HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\nX-Byte: caf".utf8)
    let echo = try await answer(proxy, to: up + [0xE9] + Array("\r\nX-Text: caf\u{E9}\r\n\r\n".utf8))
    // The server reads each byte as the character of its number.
    #expect(echo.contains(#"["X-Byte", "caf\u00e9"]"#), "\(echo)")
    #expect(echo.contains(#"["X-Text", "caf\u00c3\u00a9"]"#))
    let down = try await answer(proxy, to: Array(request("GET /bytes-beyond", "Connection: close\r\n").utf8))
    #expect(down.contains("\r\nX-Byte: caf\u{E9}\r\n"), "\(down)")
    #expect(down.contains("\r\nX-Text: caf\u{C3}\u{A9}\r\n"))
  }

  @Test(
    "A length that is too large makes the proxy answer 400, close and send nothing on",
    arguments: ["9223372036854775808", "18446744073709551615", "99999999999999999999"]
  )
  func beyond(_ length: String) async throws {
    let proxy = try await SigningProxyAtWork(home)
    let bytes = Array(request("POST /echo", "Content-Length: \(length)\r\n").utf8)
    #expect(try await answer(proxy, to: bytes).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    #expect(try await server.seen("/echo") == 0)
  }

  @Test("A crowd of silent connections beyond the limit of files does not block the proxy's user")
  func flood() async throws {
    var command = home.command(["proxy", "--port", "0"])
    command.arguments = ["-c", #"ulimit -n 256; exec "$@""#, "sh", command.program] + command.arguments
    command.program = "sh"
    let proxy = try RunningProcess(command)
    let place = try await proxy.firstLine()
    let secret = place.split(separator: "/").last ?? ""
    for _ in 1...3 {
      var client = ChildProcess(
        Product.source(".build/venv/bin/python"),
        [Product.source("Tests/StrictServer/raw_client.py"), place, "400"]
      )
      client.input = Array(request("GET /\(secret)/echo", "Connection: close\r\n").utf8)
      let output = try await client.run()
      #expect(output.text.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(output.text)\(output.errorText)")
    }
    proxy.send(2)
    #expect(await proxy.ended() == 0)
  }
}
