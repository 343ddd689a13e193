import AcctModel
import AcctProtocol
import StrictJSON
import Testing

@Suite("The ID token beside an access token")
struct IDTokenTests {
  @Test("An ID token names the user if the access token is opaque")
  func subject() throws {
    let response = try response(
      #"{"iss":"https://as.example","aud":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#
    )
    #expect(response.subject == nil)
    #expect(try subject(of: response) == "alice")
  }

  @Test("An ID token may be for several clients, if its azp is this one")
  func audiences() throws {
    let several =
      #"{"iss":"https://as.example","aud":["other","client"],"sub":"alice","iat":1800000000,"exp":1800003600}"#
    #expect(try subject(of: response(several)) == nil)
    let claims =
      #"{"iss":"https://as.example","aud":["other","client"],"azp":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#
    #expect(try subject(of: response(claims)) == "alice")
  }

  @Test("An ID token must repeat the nonce of the request, if there was one")
  func nonce() throws {
    let claims =
      #"{"iss":"https://as.example","aud":"client","sub":"alice","nonce":"n1","iat":1800000000,"exp":1800003600}"#
    #expect(try subject(of: response(claims), repeating: "n1") == "alice")
    #expect(try subject(of: response(claims), repeating: "n2") == nil)
    let silent = #"{"iss":"https://as.example","aud":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#
    #expect(try subject(of: response(silent), repeating: "n1") == nil)
  }

  @Test("A request for an ID token has a nonce, and any other request has none", arguments: [true, false])
  func request(isConnect: Bool) throws {
    let request = AuthorizationRequest(
      clientID: "client",
      redirectURI: "http://127.0.0.1:1/callback",
      scope: isConnect ? "profile openid" : "openidentity",
      thumbprint: nil,
      random: (0..<96).map { $0 }
    )
    let nonce = Base64URL.encode([UInt8](32..<64).span)
    #expect(request.nonce == (isConnect ? nonce : nil))
    #expect(request.parameters.openedText.contains("&nonce=\(nonce)&") == isConnect)
  }

  @Test(
    "An ID token of another issuer or client, or without a subject, is rejected",
    arguments: [
      #"{"iss":"https://as.example/","aud":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#,
      #"{"aud":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#,
      #"{"iss":"https://as.example","aud":"other","sub":"alice","iat":1800000000,"exp":1800003600}"#,
      #"{"iss":"https://as.example","aud":["other"],"sub":"alice","iat":1800000000,"exp":1800003600}"#,
      #"{"iss":"https://as.example","sub":"alice","iat":1800000000,"exp":1800003600}"#,
      #"{"iss":"https://as.example","aud":"client","sub":"","iat":1800000000,"exp":1800003600}"#,
      #"{"iss":"https://as.example","aud":"client","iat":1800000000,"exp":1800003600}"#,
    ]
  )
  func foreign(_ claims: String) throws {
    #expect(try subject(of: response(claims)) == nil)
  }

  @Test(
    "An ID token that can't be read is told from none",
    arguments: ["opaque", "e30.e30", "e30.bm8.sig", "e30.eyJzdWIiOiJhIiwic3ViIjoiYiJ9.sig"]
  )
  func broken(_ idToken: String) throws {
    let response = try TokenResponse(
      ["access_token": "opaque", "id_token": .string(idToken)],
      boundTo: nil,
      showing: { $0 }
    )
    #expect(response.idToken == .failure(.unreadable))
    #expect(try subject(of: response) == nil)
    let none = try TokenResponse(["access_token": "opaque"], boundTo: nil, showing: { $0 })
    #expect(none.idToken == nil)
  }

  @Test("An ID token is rejected where it is more than 5 minutes past, or without an end or the time of its issue")
  func expiry() throws {
    let head = #"{"iss":"https://as.example","aud":"client","sub":"alice""#
    let issued = #","iat":1799990000"#
    #expect(try subject(of: response(head + issued + #","exp":1799999701}"#)) == "alice")
    #expect(try subject(of: response(head + issued + #","exp":1799999700}"#)) == nil)
    #expect(try subject(of: response(head + issued + "}")) == nil)
    #expect(try subject(of: response(head + #","exp":1799999701}"#)) == nil)
  }

  /// One claim changed in a token after a refresh, and what that is.
  @Test(
    "A token after a refresh has the issuer, the user, the audience and the nonce of the one before",
    arguments: [
      ("iss", "https://as.example/", .issuer), ("sub", "mallory", .subject), ("aud", "other", .audience),
      ("aud", ["client", "other"], .authorizedParty), ("nonce", "n2", .nonceMismatch), ("nonce", .null, nil),
      ("azp", "other", .authorizedParty), ("exp", 1, .expired), ("exp", .null, .endMissing),
      ("iat", 1_800_009_999, .issuedLater), ("iat", .null, .issueTimeMissing), ("amr", ["pwd"], nil),
    ] as [(String, JSON, IDToken.Flaw?)]
  )
  func succession(claim: String, value: JSON, flaw: IDToken.Flaw?) throws {
    let claims: JSONObject = [
      "iss": "https://as.example", "aud": "client", "sub": "alice", "iat": 1_800_000_000, "exp": 1_800_003_600,
      "nonce": "n1",
    ]
    var changed = claims
    changed[claim] = value == .null ? nil : value
    func token(_ claims: JSONObject) throws -> IDToken {
      let text = String(decoding: JSON.object(claims).serialized(), as: UTF8.self)
      return try #require(try response(text).idToken).get()
    }
    let (earlier, later) = (try token(claims), try token(changed))
    var found: IDToken.Flaw?
    do throws(IDToken.Flaw) {
      try later.check(after: earlier, for: "client", at: Timestamp(clamped: 1_800_000_000))
    } catch { found = error }
    #expect(found == flaw)
  }

  @Test("A life is known from iat, and a third of one under 15 minutes is the buffer")
  func lifetime() throws {
    func lifetime(_ more: String) throws -> TokenLifetime? {
      let head = #"{"iss":"https://as.example","aud":"client","sub":"alice","exp":1800000400"#
      return try response(head + more + "}").idToken?.get().lifetime
    }
    #expect(try lifetime("")?.skewBuffer == 300)
    #expect(try lifetime(#","iat":1800000000"#)?.skewBuffer == 133)
  }

  private func response(_ claims: String) throws -> TokenResponse {
    let segments = [#"{"alg":"ES256"}"#, claims, "signature"]
    let idToken = segments.map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".")
    return try TokenResponse(["access_token": "opaque", "id_token": .string(idToken)], boundTo: nil, showing: { $0 })
  }

  private func subject(of response: TokenResponse, repeating nonce: String? = nil) throws -> String? {
    let issuer = try Issuer("https://as.example")
    guard case .success(let token) = response.idToken else { return nil }
    do throws(IDToken.Flaw) {
      try token.check(from: issuer, for: "client", repeating: nonce, at: Timestamp(clamped: 1_800_000_000))
      return token.subject
    } catch {
      return nil
    }
  }
}
