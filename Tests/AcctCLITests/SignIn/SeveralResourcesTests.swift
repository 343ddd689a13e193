import AcctCLI
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// Sign-ins for resource servers (RFC 8707), at a server where one token is for one of them.
@Suite("A sign-in for several resources")
struct SeveralResourcesTests {
  private let record = RecordedWorld()
  private static let first = "https://a.example/v1"
  private static let second = "https://b.example"

  private func add(_ options: String..., hasRefreshToken: Bool = true) async -> OneResourceServer {
    let server = OneResourceServer(record, hasRefreshToken: hasRefreshToken)
    record.clear()
    let browser = RehearsedBrowser()
    let status = await Acct.run(
      [
        "add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--resource",
        Self.first, "--resource", Self.second,
      ] + options,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
    #expect(status == 0, "\(record.err)")
    if options.isEmpty {
      #expect(
        browser.addresses.last?
          .contains("resource=https%3A%2F%2Fa.example%2Fv1&resource=https%3A%2F%2Fb.example")
          == true
      )
    }
    return server
  }

  private func header(_ url: String, _ options: String...) async -> Int32 {
    record.clear()
    return await record.run(["header"] + options + [url])
  }

  private func bearer(_ resource: String, _ number: Int) -> String {
    "Authorization: Bearer for-\(resource)-\(number)\n"
  }

  @Test("A code brings a token for the first resource, and a notice says how the others come")
  func code() async {
    let server = await add()
    #expect(server.named == [[Self.first]])
    #expect(
      record.err.contains("acct: the token is for \(Self.first); requests to \(Self.second) get a token of their own"),
      "\(record.err)"
    )
  }

  @Test("A device code brings a token for the resource that the token request names")
  func device() async {
    let server = await add("--device")
    #expect(server.started == [[Self.first, Self.second]])
    #expect(server.named == [[Self.first]])
  }

  @Test("A header for the origin of the second resource has the second's token by itself")
  func header() async {
    let server = await add()
    #expect(await header("https://a.example/v1/x") == 0)
    #expect(record.out == bearer(Self.first, 1))
    #expect(await header("https://b.example/x") == 0, "\(record.err)")
    #expect(record.out == bearer(Self.second, 2))
    #expect(await header("https://b.example/y", "--offline") == 0, "\(record.err)")
    #expect(record.out == bearer(Self.second, 2))
    #expect(await header("https://a.example/v1/x") == 0)
    #expect(record.out == bearer(Self.first, 1))
    #expect(server.named == [[Self.first], [Self.second]])
  }

  @Test("Each renewal of the account names its first resource alone")
  func renewal() async {
    let server = await add()
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await header("https://b.example/x") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.named == [[Self.first], [Self.first], [Self.second], [Self.first]])
  }

  @Test("A token for one resource goes to no other's origin, whatever is asked for")
  func others() async {
    _ = await add("--allow-origin", "https://c.example")
    #expect(await header("https://b.example/x", "--audience", Self.first) == 8)
    #expect(record.err.last == "acct: hint: leave out --audience: a request gets the token for its own origin")
    #expect(await header("https://a.example/x", "--audience", Self.second) == 8)
    #expect(await header("https://b.example/x", "--scope", "read") == 0, "\(record.err)")
    #expect(record.out == bearer(Self.second, 2))
    // Where the user has allowed an origin, the account's own token goes there, as it always has.
    #expect(await header("https://c.example/x") == 0)
    #expect(record.out == bearer(Self.first, 1))
  }

  @Test("A request to the second resource that is rejected renews the second's token alone")
  func request() async {
    let server = await add()
    server.rejectNext()
    #expect(await record.acct("request", "https://b.example/x") == 0, "\(record.err)")
    #expect(record.out == #"{"as":"Bearer for-https://b.example-3"}"#)
    #expect(server.named == [[Self.first], [Self.second], [Self.second]])
    #expect(await record.acct("request", "https://a.example/v1/x") == 0, "\(record.err)")
    #expect(record.out == #"{"as":"Bearer for-https://a.example/v1-1"}"#)
  }

  @Test("An account without a refresh token has no token for the second resource, exit 4")
  func noRefreshToken() async {
    _ = await add(hasRefreshToken: false)
    #expect(
      record.err.contains { $0.contains("no refresh token, so there is no token for \(Self.second)") },
      "\(record.err)"
    )
    #expect(await header("https://a.example/v1/x") == 0)
    #expect(await header("https://b.example/x") == 4)
    #expect(record.err.last?.contains("--resource \(Self.second)") == true, "\(record.err)")
  }

  @Test("Of two resources at one origin a URL gets the token of the one whose path it is below")
  func paths() async {
    let server = OneResourceServer(record)
    let (one, two) = ("https://a.example/one", "https://a.example/two/")
    #expect(
      await record.addDevice(RecordedServer.issuer, "--resource", one, "--resource", two) == 0
    )
    for (url, resource) in [
      ("https://a.example/two/x", two), ("https://a.example/one", one), ("https://a.example/oneself", one),
      ("https://a.example/", one), ("https://a.example/two", two), ("https://a.example/two?x", two),
    ] {
      #expect(await header(url) == 0, "\(record.err)")
      #expect(record.out.contains("for-\(resource)-"), "\(url): \(record.out)")
    }
    #expect(server.named.count == 2)
  }
}

/// An authorization server whose token requests may name one resource, and with them the resource servers.
private final class OneResourceServer: Sendable {
  private struct State {
    var named: [[String]] = []
    var started: [[String]] = []
    var rejects = false
  }
  private let state = Mutex(State())
  private let hasRefreshToken: Bool

  init(_ record: RecordedWorld, hasRefreshToken: Bool = true) {
    self.hasRefreshToken = hasRefreshToken
    record.serve { request throws(HTTPFailure) in self.answer(request) }
  }

  /// The resources that each request of the token endpoint named.
  var named: [[String]] { state.withLock { $0.named } }
  /// The same of requests that begin a sign-in on another device.
  var started: [[String]] { state.withLock { $0.started } }
  /// Rejects the next request to a resource server.
  func rejectNext() { state.withLock { $0.rejects = true } }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    guard request.url.origin.host == "as.example" else { return resource(request) }
    let body = request.body.map { text(of: $0) } ?? ""
    let resources = body.split(separator: "&").filter { $0.hasPrefix("resource=") }
      .map { String($0.dropFirst(9)).replacing("%3A", with: ":").replacing("%2F", with: "/") }
    switch request.url.path {
    case RecordedServer.place:
      return RecordedServer.metadata(["authorization_endpoint": "https://as.example/authorize"])
    case "/start":
      state.withLock { $0.started.append(resources) }
      return RecordedServer.start
    case "/token":
      let number = state.withLock { state in
        state.named.append(resources)
        return state.named.count
      }
      guard resources.count == 1 else {
        return .json(#"{"error":"invalid_target","error_description":"name one"}"#, 400)
      }
      return RecordedServer.tokens(
        "a",
        [
          "access_token": .string("for-\(resources[0])-\(number)"),
          "refresh_token": hasRefreshToken ? "rt-made-up" : .null,
        ]
      )
    default: return .json("{}", 404)
    }
  }

  private func resource(_ request: HTTPRequest) -> HTTPResponse {
    let rejects = state.withLock { state in
      defer { state.rejects = false }
      return state.rejects
    }
    if rejects { return .json("{}", 401) }
    let carried = request.fields.first { $0.name == "Authorization" }.map { text(of: $0.value) }
    return .json(#"{"as":"\#(carried ?? "")"}"#)
  }
}
