import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

/// What a sign-in in the browser makes of each address that comes back.
@Suite("A callback of a sign-in")
struct CallbackAnswerTests {
  private let record = RecordedWorld()
  private let browser = AnsweringBrowser()
  private static let right = "code=made-up-code&state=STATE&iss=https%3A%2F%2Fas.example"
  private static let unproven = ["acct: refused a callback without this sign-in's state (", "); still waiting"]

  /// Signs in, with these queries at the listener one after another.
  private func add(_ queries: String..., options: [String] = []) async -> Int32 {
    serve()
    browser.answer(queries)
    return await run(options)
  }

  /// Signs in, with these addresses pasted one after another.
  private func paste(_ tails: String...) async -> Int32 {
    serve()
    browser.paste(tails.map { "http://127.0.0.1:\(RehearsedBrowser.freePort)/callback\($0)" })
    return await run(["--no-browser"])
  }

  private func serve(challenges: JSON = ["S256"]) {
    let metadata: JSONObject = [
      "authorization_endpoint": "https://as.example/authorize", "code_challenge_methods_supported": challenges,
      "authorization_response_iss_parameter_supported": true,
    ]
    _ = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"))
  }

  private func run(_ options: [String]) async -> Int32 {
    let line = ["add", "--issuer", RecordedServer.issuer, "--client-id", "client"]
    return await Acct.run(line + options, in: browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  /// The errors that the terminal told of.
  private var told: [String] {
    record.err.filter { $0.hasPrefix(Self.unproven[0]) && $0.hasSuffix(Self.unproven[1]) }
      .map { String($0.dropFirst(Self.unproven[0].count).dropLast(Self.unproven[1].count)) }
  }

  @Test("An error without a state does not count, and the terminal says what it was while the sign-in waits on")
  func withoutState() async {
    let error = "error=access_denied&error_description=The+user+said+no"
    #expect(await add(error, error, "state=&error=server_error", Self.right) == 0, "\(record.err)")
    #expect(told == ["access_denied: The user said no", "server_error"])
    #expect(browser.pages == [.unexpected, .unexpected, .unexpected, .done])
  }

  @Test("The words of an unproven error have no secret and no control character, and are few")
  func hostile() async {
    let many = (1...9).map { "error=e\($0)" }
    #expect(await add("error=a%1Bb&error_description=see+STATE+%E2%80%AEx", Self.right) == 0, "\(record.err)")
    #expect(told.first == "a\\u{1b}b: see <redacted> \\u{202e}x", "\(record.err)")
    record.clear()
    serve()
    browser.answer(many + [Self.right])
    #expect(await run([]) == 0, "\(record.err)")
    #expect(told == ["e1", "e2", "e3", "e4"])
  }

  @Test(
    "An answer with another state, or with a parameter that decides twice, is no answer",
    arguments: [
      "error=access_denied&state=other", "code=x&state=other&iss=https%3A%2F%2Fas.example",
      "error=access_denied&state=STATE&state=STATE&iss=https%3A%2F%2Fas.example",
      "code=x&code=x&state=STATE&iss=https%3A%2F%2Fas.example",
      "code=x&state=STATE&iss=https%3A%2F%2Fas.example&iss=https%3A%2F%2Fas.example",
      "error=a&error=a&state=STATE&iss=https%3A%2F%2Fas.example",
      "code=%zz&state=STATE&iss=https%3A%2F%2Fas.example", "code=%FF&state=STATE&iss=https%3A%2F%2Fas.example",
    ]
  )
  func foreign(query: String) async {
    #expect(await add(query, Self.right) == 0, "\(record.err)")
    #expect(browser.pages == [.unexpected, .done])
    #expect(told.isEmpty, "\(record.err)")
  }

  @Test(
    "An answer of another issuer, or without the one that the server sends, ends the sign-in",
    arguments: [
      ("code=x&state=STATE&iss=https%3A%2F%2Fother.example", "callbackIssuer"),
      ("code=x&state=STATE", "callbackIssuerMissing"),
    ]
  )
  func issuer(query: String, code: String) async {
    #expect(await add(query, options: ["--json"]) == 11)
    #expect(record.err.last?.contains(#""code":"\#(code)""#) == true, "\(record.err)")
    #expect(!record.requests.contains { $0.url.path == "/token" })
  }

  @Test("A server that names other methods of PKCE than S256 gets no request")
  func challenges() async {
    serve(challenges: ["plain"])
    #expect(await run([]) == 11, "\(record.err)")
    #expect(record.err.first == "acct: https://as.example does not offer PKCE with S256", "\(record.err)")
  }

  static let described = [
    "error_description=not+today&error_description=not+today", "error_uri=a&error_uri=b&error_description=not+today",
    "session_state=a&session_state=b&error_description=not+today", "error_description=not+today&x=%zz&y=%FF",
  ]

  @Test("A parameter that decides nothing may be there twice, or be malformed", arguments: described)
  func twice(parameters: String) async {
    let query = "error=access_denied&\(parameters)&state=STATE&iss=https%3A%2F%2Fas.example"
    #expect(await add(query) == 4, "\(record.err)")
    #expect(record.err.contains { $0.contains("access_denied: not today") }, "\(record.err)")
    #expect(browser.pages == [.failed])
    record.clear()
    #expect(await paste("?\(query)") == 4, "\(record.err)")
    #expect(record.err.contains { $0.contains("access_denied: not today") }, "\(record.err)")
  }

  @Test("A description that can't be decoded is shown as far as it can")
  func undecodable() async {
    #expect(
      await add("error=access_denied&error_description=caf%E9+100%&state=STATE&iss=https%3A%2F%2Fas.example") == 4
    )
    #expect(record.err.contains { $0.contains(#"access_denied: caf\u{fffd} 100%"#) }, "\(record.err)")
  }

  @Test("A callback without a query is told of, and its page looks for the answer in the fragment")
  func emptyQuery() async {
    #expect(await add("", "error=access_denied&error_description=no", Self.right) == 0, "\(record.err)")
    #expect(record.err.contains("acct: refused a callback without an answer; still waiting"))
    #expect(told == ["access_denied: no"])
    #expect(browser.pages == [.withoutAnswer, .unexpected, .done])
  }

  @Test("A pasted address with its answer in the fragment is read like one with a query")
  func fragment() async {
    #expect(
      await paste("#error=access_denied&error_description=The+user+said+no", "#\(Self.right)") == 0,
      "\(record.err)"
    )
    #expect(told == ["access_denied: The user said no"])
    record.clear()
    #expect(
      await paste("?#error=access_denied&error_description=no&state=STATE&iss=https%3A%2F%2Fas.example") == 4,
      "\(record.err)"
    )
    #expect(record.err.contains { $0.contains("access_denied: no") }, "\(record.err)")
    record.clear()
    #expect(await paste("#code=x&state=other", "?\(Self.right)#_=_") == 0, "\(record.err)")
    #expect(record.err.contains { $0.contains("this is not the callback of this sign-in") }, "\(record.err)")
  }
}

/// A browser, or a person with a clipboard, that brings the addresses of a test; `STATE` stands for the request's.
private final class AnsweringBrowser: Sendable {
  private struct State {
    var queries: [String] = []
    var lines: [String] = []
    var pages: [CallbackPage] = []
    var waiting: AsyncStream<Callback>.Continuation?
  }

  private let state = Mutex(State())

  var pages: [CallbackPage] { state.withLock { $0.pages } }

  func answer(_ queries: [String]) { state.withLock { $0 = State(queries: queries) } }

  func paste(_ lines: [String]) { state.withLock { $0 = State(lines: lines) } }

  func world(of record: RecordedWorld) -> World {
    var world = record.world()
    world.listener = CallbackListener { [self] redirect throws(ListenFailure) in
      let (callbacks, waiting) = AsyncStream.makeStream(of: Callback.self)
      state.withLock { $0.waiting = waiting }
      return Listening(
        port: RehearsedBrowser.freePort,
        next: {
          for await callback in callbacks { return callback }
          return nil
        },
        close: { waiting.finish() }
      )
    }
    world.browser = Browser { [self] address in
      let sent = RehearsedBrowser.parameters(of: address)["state"] ?? ""
      let (queries, waiting) = state.withLock { ($0.queries, $0.waiting) }
      for query in queries {
        let callback = Callback(query: Secret(query.replacing("STATE", with: sent)), caller: .ownUser) { page in
          self.state.withLock { $0.pages.append(page) }
        }
        waiting?.yield(callback)
      }
      return true
    }
    world.terminal.lines = { [self] _ in
      let address = record.err.last { $0.hasPrefix("https://as.example/authorize") } ?? ""
      let sent = RehearsedBrowser.parameters(of: address)["state"] ?? ""
      let lines = state.withLock { $0.lines }
      return AsyncStream { continuation in
        for line in lines { continuation.yield(Secret(line.replacing("STATE", with: sent))) }
        continuation.finish()
      }
    }
    return world
  }
}
