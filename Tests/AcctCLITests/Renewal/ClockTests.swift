import Release
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

/// Clocks that disagree, and the ends of tokens that follow from them.
@Suite("A clock")
struct ClockTests {
  private let record = RecordedWorld()

  @Test("What was stored by a clock that was decades ahead is renewed at once, and then used")
  func ahead() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    record.now += 2_500_000_000
    #expect(await record.addDevice() == 0)
    record.now -= 2_500_000_000
    for _ in 0..<2 {
      #expect(await record.acct("token") == 0, "\(record.err)")
      #expect(record.out == "at-b-long-enough\n")
    }
    #expect(server.bodies("/token").count == 2)
  }

  @Test("The lifetime of a token is counted by the server's clock where this one is two hours off", arguments: [-1, 1])
  func lifetime(side: Int64) async {
    let serverTime = record.now + side * 7200
    let token = Handoffs.token(["sub": "alice", "exp": .number(JSONNumber(serverTime + 3600))])
    let answer = RecordedServer.tokens("a", ["access_token": .string(token), "expires_in": nil])
    _ = RecordedServer(record, tokens: answer.dated(serverTime), RecordedServer.tokens("b"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    let start = record.now
    for (left, out) in [(Int64(301), token), (300, "at-b-long-enough")] {
      record.now = start + 3600 - left
      #expect(await record.acct("token") == 0, "\(record.err)")
      #expect(record.out == out + "\n", "\(record.err)")
    }
  }

  @Test("A token that was stored by a clock nine hours ahead is used to its own end, where no server answers")
  func aheadWithoutServer() async {
    let serverTime = record.now
    let token = Handoffs.token(["sub": "alice", "exp": .number(JSONNumber(serverTime + 3600))])
    let answer = RecordedServer.tokens("a", ["access_token": .string(token), "expires_in": 3600])
    _ = RecordedServer(record, tokens: answer.dated(serverTime))
    record.now += 32_400
    #expect(await record.addDevice() == 0, "\(record.err)")
    record.serve { _ throws(HTTPFailure) in throw .timedOut }
    record.now = serverTime + 3599
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == token + "\n")
    record.now = serverTime + 3600
    #expect(await record.acct("token") == 10, "\(record.out)")
  }

  @Test("A token whose answer was on its way for longer than it is good is not used from the keyring")
  func slept() async {
    let serverTime = record.now
    let token = Handoffs.token(["sub": "alice", "exp": .number(JSONNumber(serverTime + 4000))])
    let late = RecordedServer.tokens("b", ["access_token": .string(token), "expires_in": 300])
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), late, RecordedServer.tokens("c"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    record.now = serverTime + 3700
    record.serve { [record] request throws(HTTPFailure) in
      if request.url.path == "/token" { record.now = serverTime + 4100 }
      return server.answer(request.url.path)
    }
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "at-c-long-enough\n", "\(record.err)")
  }

  @Test("A token that can't be renewed is used to its last second", arguments: ["import", "document", "guest"])
  func toItsEnd(kind: String) async {
    let options: [String]
    let life: Int64
    switch kind {
    case "import":
      (options, life) = ([], 290)
      #expect(await record.add(Handoffs.bearer(changing: ["expires_in": 290])) == 0)
    case "document":
      (options, life) = (["--credentials", "job.json"], 200)
      record.provide("job.json", Handoffs.bearer(changing: ["expiresAt": "2027-01-15T08:03:20Z", "expires_in": nil]))
    default:
      (options, life) = ([], 45)
      record.serve { _ in .json(#"{"guestToken":"opaque-guest-token","expiresIn":45}"#) }
      #expect(await record.acct("add", "--guest", Guests.backend) == 0, "\(record.err)")
    }
    record.now += life - 1
    #expect(await record.run(["token"] + options) == 0, "\(record.err)")
    #expect(await record.run(["token", "--min-valid", "2"] + options) == 4, "\(record.err)")
    record.now += 1
    #expect(await record.run(["token"] + options) == 4, "\(record.err)")
  }

  @Test("A proof that a token endpoint rejects for its time is sent again with the server's time, which is told")
  func tokenEndpoint() async throws {
    #expect(await record.add(Self.renewable) == 0)
    let asked = serve { time in
      let right = RecordedServer.tokens("b", ["token_type": "DPoP"])
      return time ? right : .json(#"{"error":"invalid_dpop_proof"}"#, 400)
    }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(record.err.contains("acct: the clock is 45 s ahead of that of https://as.example, whose time is used"))
    #expect(asked.count == 2)
    // The next one knows.
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(asked.count == 3)
    #expect(!record.err.joined().contains("clock"))
  }

  @Test("A proof for a server that asks for a nonce, and whose time differs, has both at the second try")
  func nonce() async {
    #expect(await record.add(Self.renewable) == 0)
    let asked = serve { time in
      let right = RecordedServer.tokens("b", ["token_type": "DPoP"])
      return time ? right : .json(#"{"error":"use_dpop_nonce"}"#, 400, ("DPoP-Nonce", "made-up-nonce"))
    }
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(asked.nonces == [nil, "made-up-nonce"])
  }

  @Test("A proof that is rejected again is an error after two tries, and the difference of the clocks is told")
  func rejected() async {
    #expect(await record.add(Self.renewable) == 0)
    let asked = serve { _ in .json(#"{"error":"invalid_dpop_proof"}"#, 400) }
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(asked.count == 2)
    #expect(record.err.first == "acct: the clock is 45 s ahead of that of https://as.example, whose time is used")
  }

  @Test("A proof that a resource server rejects for its time is sent again with the server's time", arguments: [4, 5])
  func resource(seconds: Int64) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let asked = serve(behind: seconds, tolerating: 2) { time in
      time
        ? .json("fine")
        : HTTPResponse(
          status: 401,
          fields: [("WWW-Authenticate", #"DPoP error="invalid_dpop_proof""#)],
          body: Secret("")
        )
    }
    let isCorrected = seconds == 5
    #expect(await record.acct("request", "https://pds.example/x") == (isCorrected ? 0 : 4), "\(record.err)")
    #expect(record.err.joined().contains("5 s ahead of that of https://pds.example") == isCorrected)
    let count = asked.count
    #expect(await record.acct("request", "https://pds.example/x") == (isCorrected ? 0 : 4), "\(record.err)")
    #expect(!isCorrected || asked.count == count + 1)
  }

  private static var renewable: String {
    Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
  }

  /// Answers each request with a proof, with a `Date` that is behind.
  ///
  /// - Parameters:
  ///   - seconds: By so many seconds.
  ///   - window: The largest difference of an accepted proof, in seconds.
  ///   - answer: Makes the answer to a proof of the right time, or of a wrong one.
  /// - Returns: Such requests.
  private func serve(
    behind seconds: Int64 = 45,
    tolerating window: Int64 = 15,
    _ answer: @escaping @Sendable (Bool) -> HTTPResponse
  ) -> Asked {
    let asked = Asked()
    let serverTime = record.now - seconds
    record.serve { request throws(HTTPFailure) in
      guard let proof = request.fields.first(where: { $0.name == "DPoP" })?.value else {
        return RecordedServer.metadata()
      }
      let claims = try? JWT.decode(Token(text(of: proof))).claims.object
      asked.add(claims?["nonce"]?.stringValue)
      let issued = claims?["iat"]?.numberValue?.integer.map { Int64($0) } ?? 0
      return answer(abs(issued - serverTime) <= window).dated(serverTime)
    }
    return asked
  }
}

/// The requests with a proof.
private final class Asked: Sendable {
  private let state = Mutex<[String?]>([])

  var count: Int { nonces.count }
  /// The nonces of their proofs.
  var nonces: [String?] { state.withLock { $0 } }

  func add(_ nonce: String?) { state.withLock { $0.append(nonce) } }
}

extension HTTPResponse {
  /// The answer with the server's time, in seconds since 1970.
  fileprivate func dated(_ time: Int64) -> HTTPResponse {
    var answer = self
    let words = Timestamp(secondsSince1970: time)?.description.split { "-T:Z".contains($0) } ?? []
    let month = words.count == 6 ? Int(words[1]) ?? 1 : 1
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let day = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(time / 86_400 % 7)]
    guard words.count == 6 else { return answer }
    let date = "\(day), \(words[2]) \(names[month - 1]) \(words[0]) \(words[3]):\(words[4]):\(words[5]) GMT"
    answer.fields.append(("Date", date))
    return answer
  }
}
