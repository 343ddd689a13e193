import AcctCLI
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An address with a pushed request in it, which a server takes for a minute or so (RFC 9126, section 2.2).
@Suite("The address of a pushed request")
struct PushedAddressTests {
  private let record = RecordedWorld()

  /// A server that names pushed requests, and tokens for whatever code comes.
  private func server(isRequired: Bool) -> RecordedServer {
    let server = RecordedServer(
      record,
      metadata: [
        "authorization_endpoint": "https://as.example/authorize",
        "pushed_authorization_request_endpoint": "https://as.example/par",
        "require_pushed_authorization_requests": .bool(isRequired),
      ],
      tokens: RecordedServer.tokens("a")
    )
    server.set("/par", pushed("one"), pushed("two"))
    return server
  }

  private func pushed(_ name: String) -> HTTPResponse {
    .json(#"{"request_uri":"urn:made-up:\#(name)","expires_in":60}"#, 201)
  }

  /// Signs in without a browser here; each entry is typed once all before it has been dealt with, and `nil` is the
  /// callback of the last request.
  private func add(typing entries: [String?] = [], onTerminal: Bool, _ options: String...) async -> Int32 {
    record.clear()
    var world = RehearsedBrowser().world(of: record)
    let typed = Typing(entries)
    let record = record
    world.terminal = Terminal(
      canAsk: { onTerminal },
      ask: { _ in nil },
      askSecret: { _ in nil },
      lines: { _ in
        AsyncStream {
          guard let entry = typed.next() else {
            guard entries.isEmpty else { return nil }
            // An input that stays open, until the wait is over.
            let (nothing, ending) = AsyncStream.makeStream(of: Never.self)
            for await _ in nothing {}
            ending.finish()
            return nil
          }
          return Secret(entry ?? callback(of: record))
        }
      }
    )
    return await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--no-browser"] + options,
      in: world,
      parsedBy: ParsedLines.parse
    )
  }

  private var shown: [String] { record.err.filter { $0.hasPrefix("https://as.example/authorize") } }

  @Test("A server that does not require it gets no pushed request with --no-browser")
  func notRequired() async {
    let server = server(isRequired: false)
    #expect(await add(typing: [nil], onTerminal: true) == 0, "\(record.err)")
    #expect(server.bodies("/par").isEmpty)
    #expect(shown.count == 1)
    #expect(shown.first?.contains("code_challenge=") == true, "\(record.err)")
    #expect(!record.err.contains { $0.contains("valid for") }, "\(record.err)")
  }

  @Test("An address that has an end says so, and Enter makes a new one on a terminal")
  func enter() async {
    let server = server(isRequired: true)
    #expect(await add(typing: ["", nil], onTerminal: true) == 0, "\(record.err)")
    #expect(
      shown == [
        "https://as.example/authorize?client_id=client&request_uri=urn%3Amade-up%3Aone",
        "https://as.example/authorize?client_id=client&request_uri=urn%3Amade-up%3Atwo",
      ]
    )
    let end = "acct: the address is valid for 60 s; press Enter for a new one"
    #expect(record.err.count { $0 == end } == 2, "\(record.err)")
    #expect(!record.err.contains { $0.contains("not the callback") }, "\(record.err)")
    #expect(server.bodies("/token").count == 1)
  }

  @Test("An address that has ended without a terminal is exit 4, and the command is to be run again")
  func ended() async {
    let server = server(isRequired: true)
    #expect(await add(onTerminal: false, "--wait", "599") == 4)
    #expect(record.err.contains("acct: the address is valid for 60 s"), "\(record.err)")
    #expect(record.err.contains { $0.contains("within 9 min") && $0.contains("60 s") })
    #expect(record.err.last == "acct: hint: run the same command again for a new address")
    #expect(server.bodies("/par").count == 1)
    #expect(record.accountFiles == 0)
  }

  @Test("A new address that the server refuses ends the sign-in")
  func refusedAgain() async {
    let server = server(isRequired: true)
    server.set("/par", pushed("one"), .json(#"{"error":"invalid_client"}"#, 401))
    #expect(await add(typing: [""], onTerminal: true) == 4, "\(record.err)")
    #expect(record.err.contains { $0.contains("invalid_client") }, "\(record.err)")
  }

  @Test("An empty line is no callback where the address has no end")
  func emptyLine() async {
    let server = server(isRequired: false)
    #expect(await add(typing: ["", nil], onTerminal: true) == 0, "\(record.err)")
    #expect(record.err.contains { $0.contains("not the callback") }, "\(record.err)")
    #expect(server.bodies("/par").isEmpty)
  }
}

/// What is typed, line after line.
private final class Typing: Sendable {
  private let entries: Mutex<[String?]>

  init(_ entries: [String?]) { self.entries = Mutex(entries) }

  func next() -> String?? { entries.withLock { $0.isEmpty ? nil : .some($0.removeFirst()) } }
}

/// The callback of the request that was sent or shown last.
private func callback(of record: RecordedWorld) -> String {
  let pushed = record.requests.map { RehearsedBrowser.parameters(of: "?" + RowServer.text($0.body)) }
  let shown = record.err.map { RehearsedBrowser.parameters(of: $0) }
  let state = (pushed + shown).compactMap { $0["state"] }.last ?? ""
  let port = RehearsedBrowser.freePort
  return "http://127.0.0.1:\(port)/callback?code=made-up-code&state=\(state)"
}
