import Release
import AcctEngine
import AcctModel
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// From any good answer, members other than the tokens are changed, dropped and spoiled: the session goes on.
@Suite("A grant that was spoiled")
struct GrantPropertyTests {
  private let now: Timestamp
  private let origin: Origin
  private let account: Account

  init() throws {
    now = try #require(Timestamp(secondsSince1970: 1_800_000_000))
    origin = try Origin("https://as.example")
    account = Account(
      id: try AccountID("0d1c2b3a-0000-4000-8000-000000000001"),
      name: try AccountName("alice"),
      kind: .oauth,
      tokenType: .bearer,
      identity: Identity(subject: "alice", issuer: try Issuer("https://as.example"), clientID: "client"),
      source: .issuer,
      issuerSource: .given,
      origins: OwnOrigins(),
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: true),
      createdAt: now
    )
  }

  @Test("A spoiled grant keeps the account and its refresh token, and the next renewal works")
  func spoiled() throws {
    var numbers = RepeatableNumbers(seed: 2026)
    for round in 0..<TestExtent.count(10_000, full: 100_000) {
      let sent = Spoiled(using: &numbers)
      var first = machine(account)
      _ = first.begin()
      let step = first.take(outcome(sent.status, sent.type, sent.body), at: now)
      let token: RefreshToken?
      switch step {
      case .store(let response):
        #expect(response.accessToken.secret == Secret("at-1"), "\(round): \(sent)")
        token = response.refreshToken
      // The type of the token is not what may be sent.
      case .storeRefreshToken(let kept, .server(.oauth(.tokenType, _))): token = kept
      case .storeRefreshToken(let kept, .server(.oauth(.malformedAnswer("issued_token_type"), _))): token = kept
      case .storeRefreshToken, .send, .fail:
        Issue.record("\(round): \(sent)")
        return
      }
      #expect(token?.isSame(as: try RefreshToken(Token("rt-1"))) == true, "\(round): \(sent)")
      #expect(first.account.renewalStartedAt == nil && first.account.recordedState == .signedIn, "\(round): \(sent)")
      var second = machine(first.account)
      _ = second.begin()
      let good = #"{"access_token":"at-2","token_type":"Bearer","refresh_token":"rt-2"}"#
      guard case .store = second.take(outcome(200, "application/json", Array(good.utf8)), at: now) else {
        Issue.record("\(round): the second renewal: \(sent)")
        return
      }
    }
  }

  private func machine(_ account: Account) -> RenewalStateMachine<String> {
    RenewalStateMachine(
      account,
      ["form"],
      asking: RequestRefusal.Asked(clientID: "client", method: .none, scope: nil, targets: [], account: account),
      at: origin,
      since: now,
      redacting: { $0 }
    )
  }

  private func outcome(_ status: Int, _ type: String?, _ body: [UInt8]) -> TokenOutcome {
    TokenOutcome(
      ServerAnswer(status: status, contentType: type, body: Secret(body), redacting: .none),
      boundTo: nil
    )
  }
}

/// A good answer of which anything but the tokens was changed.
private struct Spoiled: CustomStringConvertible {
  let status: Int
  let type: String?
  let body: [UInt8]

  var description: String { "\(status) \(type ?? "-") \(String(decoding: body, as: UTF8.self))" }

  /// The members that are not tokens, with good values.
  private static let members = [
    ("token_type", "\"Bearer\""), ("expires_in", "3600"), ("scope", "\"read write\""), ("sub", "\"alice\""),
    ("id_token", "\"\""), ("issued_token_type", "null"), ("display", "{\"name\":[\"Alice\",1,null]}"), ("x", "true"),
  ]
  private static let tokens = [("access_token", "\"at-1\""), ("refresh_token", "\"rt-1\"")]
  private static let types = [
    "application/json", "application/json; charset=utf-8", "text/html", "text/plain;charset=UTF-8", "", nil,
    "application/json, application/json", "application/octet-stream",
  ]
  /// Values that are no good in the place of any other; the last ones are not JSON.
  private static let values: [[UInt8]] =
    [
      "null", "\"\"", "0", "-1", "1e400", "3600.7", "\" 3600 \"", "\"soon\"", "[]", "{}", "[\"a\",\"b\"]", "[1,null]",
      "true",
      "\"MAC\"", "\"DPoP\"", "\"bearer \"", "99999999999999999999", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "NaN",
      "-Infinity",
      "007", "undefined", "\"\\q\"", "\"\\ud800\"", "\"a\u{1}\nb\"", "",
    ].map { Array($0.utf8) } + [[0x22, 0xFF, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]]

  init(using numbers: inout RepeatableNumbers) {
    status = [200, 200, 200, 201, 202, 203, 206].randomElement(using: &numbers) ?? 200
    type = Self.types.randomElement(using: &numbers) ?? nil
    var parts: [[UInt8]] = []
    func member(_ name: String, _ value: [UInt8]) -> [UInt8] { Array("\"\(name)\":".utf8) + value }
    for (name, value) in Self.members {
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: continue
      case 1: parts.append(member(name, Array(value.utf8)))
      default: parts.append(member(name, Self.values.randomElement(using: &numbers) ?? []))
      }
      // Some are there twice.
      if Int.random(in: 0..<12, using: &numbers) == 0 { parts.append(member(name, Array(value.utf8))) }
    }
    parts += Self.tokens.map { member($0, Array($1.utf8)) }
    parts.shuffle(using: &numbers)
    let blanks = ["", " ", "\n", "\r\n\t"].map { Array($0.utf8) }
    func blank() -> [UInt8] { blanks.randomElement(using: &numbers) ?? [] }
    var text: [UInt8] = Int.random(in: 0..<6, using: &numbers) == 0 ? [0xEF, 0xBB, 0xBF] : []
    text += blank() + [UInt8(ascii: "{")] + parts.joined(separator: blank() + [UInt8(ascii: ",")] + blank())
    if Int.random(in: 0..<8, using: &numbers) == 0 { text.append(UInt8(ascii: ",")) }
    text += [UInt8(ascii: "}")] + blank()
    if Int.random(in: 0..<8, using: &numbers) == 0 { text += Array("<!-- 3 ms -->".utf8) }
    body = text
  }
}
