import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// Answers to renewals as servers really send them: the grant comes first.
@Suite("A grant with blemishes")
struct BlemishedGrantTests {
  private let record = RecordedWorld()

  private static let good = #"{"access_token":"last","token_type":"Bearer","expires_in":3600,"refresh_token":"r3"}"#

  private static func answer(_ status: Int, _ type: String?, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, fields: type.map { [("Content-Type", $0)] } ?? [], body: Secret(body))
  }

  private static let plain =
    #"{"access_token":"new","token_type":"Bearer","expires_in":3600,"refresh_token":"r2","scope":"read"}"#

  /// The plain answer with a member changed.
  private static func changed(_ member: String, _ value: String) -> String {
    let text = plain.dropFirst().dropLast().split(separator: ",").map(String.init)
    let kept = text.filter { !$0.hasPrefix("\"\(member)\":") }
    return "{" + (kept + ["\"\(member)\":\(value)"]).joined(separator: ",") + "}"
  }

  /// The name, the status, the media type and the body; the words of `-v`, if there are any.
  static let answers: [(String, Int, String?, String, String?)] = [
    ("201", 201, "application/json", plain, nil), ("203", 203, "application/json; charset=utf-8", plain, nil),
    ("text/html", 200, "text/html; charset=UTF-8", plain, "media type"), ("no type", 200, nil, plain, "media type"),
    ("two types", 200, "application/json, text/plain", plain, "media type"),
    ("BOM", 200, "application/json", "\u{FEFF}" + plain, "not well-formed"),
    (
      "member twice", 200, "application/json", String(plain.dropLast()) + #","token_type":"Bearer"}"#, "not well-formed"
    ),
    ("NaN", 200, "application/json", changed("expires_in", "NaN"), "not well-formed"),
    ("control", 200, "application/json", changed("display", "\"a\u{1}\nb\""), "not well-formed"),
    ("behind", 200, "application/json", plain + "\n<!-- 12 ms -->", "not well-formed"),
    (
      "form", 200, "application/x-www-form-urlencoded",
      "access_token=new&expires_in=3600&refresh_token=r2&scope=read&token_type=bearer", "a form"
    ),
    ("scope list", 200, "application/json", changed("scope", #"["notes:read","notes:write"]"#), "scope is a list"),
    ("scope number", 200, "application/json", changed("scope", "7"), "scope can't be read"),
    ("no type of token", 200, "application/json", changed("token_type", "\"\""), "token_type"),
    ("float", 200, "application/json", changed("expires_in", "3600.5"), nil),
    ("text", 200, "application/json", changed("expires_in", "\" 3600 \""), nil),
    ("zero", 200, "application/json", changed("expires_in", "0"), "expires_in"),
    ("negative", 200, "application/json", changed("expires_in", "-1"), "expires_in"),
    ("nonsense", 200, "application/json", changed("expires_in", "{}"), "expires_in"),
    ("sub", 200, "application/json", changed("sub", "17"), nil),
    ("sub list", 200, "application/json", changed("sub", "[]"), "sub"),
    ("ID token", 200, "application/json", changed("id_token", "\"unreadable\""), nil),
    ("empty ID token", 200, "application/json", changed("id_token", "\"\""), "id_token"),
  ]

  @Test("A blemished grant is stored, and the next renewal works", arguments: answers)
  func stored(name: String, status: Int, type: String?, body: String, words: String?) async {
    #expect(await record.addRenewable())
    _ = RotatingServer(record, "r1", [(Self.answer(status, type, body), "r2"), (.json(Self.good), "r3")])
    #expect(await record.acct("refresh", "--force", "-v") == 0, "\(record.err)")
    #expect(
      words.map { words in record.err.contains { $0.contains("using the answer of") && $0.contains(words) } } ?? true
    )
    #expect(words != nil || !record.err.contains { $0.contains("using the answer of") }, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "new\n")
    #expect(name != "scope list" || record.accountFile?["scope"] == "notes:read notes:write")
    record.now += 1
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "last\n")
    #expect(record.accountFile?["renewalStartedAt"] == .null)
  }

  @Test("An opaque token that looks like a JWT is sent as it is, and a refresh token that is empty is none")
  func tokens() async {
    for token in [
      "eyJ1c2VyX2lkIjo3fQ.aSgfIg.k2Vb0mYx7Qd1TtqW9sN4hZcR3uE", "e30.e30.c2ln~WyJhIl0~", "e30.e30.a.b.c",
      "e30=.e30=.e30=",
    ] {
      let record = RecordedWorld()
      #expect(await record.addRenewable())
      let answer = #"{"access_token":"\#(token)","token_type":"Bearer","refresh_token":""}"#
      _ = RotatingServer(record, "r1", [(.json(answer), "r1"), (.json(Self.good), "r3")])
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      #expect(await record.acct("token") == 0)
      #expect(record.out == "\(token)\n")
      record.now += 1
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    }
  }

  @Test("An answer whose access token can't be used keeps the session that came with it")
  func unusable() async {
    let answers = [
      ("\"two words\"", "a bad access_token"), ("null", "a bad access_token"), ("{}", "a bad access_token"),
    ]
    for (token, words) in answers {
      let record = RecordedWorld()
      #expect(await record.addRenewable())
      _ = RotatingServer(record, "r1", [(.json(Self.changed("access_token", token)), "r2"), (.json(Self.good), "r3")])
      #expect(await record.acct("refresh", "--force") == 11)
      #expect(record.err.first?.contains(words) == true, "\(record.err)")
      record.now += 1
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    }
  }

  @Test("A scope that can't be read is told once, and the known one stays")
  func scopeUnknown() async {
    #expect(await record.addRenewable())
    let answers = (2...5).map { number in
      (
        HTTPResponse.json(
          #"{"access_token":"a\#(number)","refresh_token":"r\#(number)","scope":\#(number == 4 ? "\"read\"" : "{}")}"#
        ), "r\(number)"
      )
    }
    _ = RotatingServer(record, "r1", answers)
    var told: [Bool] = []
    for _ in answers {
      record.now += 1
      #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
      told.append(record.err.contains { $0.contains("the granted scope can't be read") })
      #expect(record.accountFile?["scope"] == "read")
    }
    #expect(told == [true, false, false, true])
  }

  @Test("An answer that can't be read at all says that the session is kept, and its end is no interruption")
  func unread() async {
    #expect(await record.addRenewable())
    _ = RotatingServer(record, "r1", [(Self.answer(200, "text/html", "<p>Welcome"), "r2")])
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(
      record.err.last
        == "acct: hint: the stored session is kept; try again later to find out whether the server has replaced it"
    )
    record.now += 1
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(
      record.err.first?.contains("the answer to an earlier renewal could not be stored, and this one was used") == true
    )
    #expect(!record.err.joined().contains("interrupted"))
  }

  @Test("No secret of a blemished answer is shown")
  func secrets() async {
    #expect(await record.addRenewable())
    let body =
      "\u{FEFF}{\"access_token\":\"at-made-up-secret\",\"refresh_token\":\"rt-made-up-secret\",\"scope\":\"rt-made-up-secret read\"}"
    _ = RotatingServer(record, "r1", [(Self.answer(200, "text/plain", body), "rt-made-up-secret")])
    #expect(await record.acct("refresh", "--force", "-v") == 0, "\(record.err)")
    #expect(await record.acct("status", "--json") == 0)
    #expect(!record.err.joined().contains("made-up-secret") && !record.out.contains("made-up-secret"))
    #expect(!record.filesText.contains("made-up-secret"))
  }

  @Test("A sign-in takes a blemished grant, with a notice where it costs something")
  func signIn() async {
    let server = RecordedServer(
      record,
      tokens: Self.answer(
        201,
        "text/html",
        "\u{FEFF}" + #"{"access_token":"at-made-up","refresh_token":"r","scope":7,"id_token":"x"}"#
      )
    )
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.err.contains("acct: the granted scope can't be read, and is not known"))
    #expect(record.err.contains { $0.contains("the ID token can't be read and was not requested; it is not kept") })
    server.set("/token", RecordedServer.tokens("b", ["scope": 7]))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(!record.err.contains { $0.contains("the granted scope") })
  }

  @Test("A token that ends at once by its server's words has no known end, and is used")
  func endsAtOnce() async {
    _ = RecordedServer(
      record,
      tokens: .json(#"{"access_token":"at-new-7Qm2xV","token_type":"Bearer","expires_in":0,"scope":"read"}"#)
    )
    #expect(await record.addDevice() == 0, "\(record.err)")
    record.now += 86_400
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "at-new-7Qm2xV\n")
  }
}
