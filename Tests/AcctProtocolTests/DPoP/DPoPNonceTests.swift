import AcctProtocol
import Testing

@Suite("DPoP nonces")
struct DPoPNonceTests {
  @Test("A nonce is read under any spelling of the field's name")
  func learned() {
    for name in ["DPoP-Nonce", "dpop-nonce", "DPOP-NONCE"] {
      #expect(DPoPNonce.learned(from: [("Date", "x"), (name, " a~1!#[] \t")]) == "a~1!#[]")
    }
    #expect(DPoPNonce.learned(from: [("dpop-nonce", "a"), ("DPoP-Nonce", "a")]) == "a")
  }

  @Test(
    "An invalid nonce is not learned",
    arguments: ["", " ", "a b", "a\"b", "a\\b", "a\u{7F}", "a\r\nX: y", "é", "a\u{0}b", "a,\tb"]
  )
  func refused(value: String) {
    #expect(DPoPNonce.learned(from: [("DPoP-Nonce", value)]) == nil)
  }

  @Test("An answer without a nonce, or with two that differ, teaches none")
  func none() {
    #expect(DPoPNonce.learned(from: []) == nil)
    #expect(DPoPNonce.learned(from: [("X-DPoP-Nonce", "a")]) == nil)
    #expect(DPoPNonce.learned(from: [("DPoP-Nonce", "a"), ("DPoP-Nonce", "b")]) == nil)
  }

  /// Whether a response asks for a proof with a nonce.
  private func isChallenge(status: Int, headers: [(name: String, value: String)], body: [UInt8]) -> Bool {
    DPoPRefusal.wantsNewProof(
      DPoPRefusal.codes(status: status, headers: headers, body: body),
      isCorrected: false,
      isRepeated: false
    )
  }

  @Test("A new proof is worth it once, for a nonce, or for its time where the clocks differ")
  func newProof() {
    for isCorrected in [false, true] {
      let answers: [(codes: Set<String>, isWanted: Bool)] = [
        (["use_dpop_nonce"], true), (["invalid_dpop_proof"], isCorrected),
        (["invalid_token"], false), ([], false), (["invalid_token", "use_dpop_nonce"], true),
      ]
      for (codes, isWanted) in answers {
        let first = DPoPRefusal.wantsNewProof(codes, isCorrected: isCorrected, isRepeated: false)
        #expect(first == isWanted, "\(codes), \(isCorrected)")
        #expect(!DPoPRefusal.wantsNewProof(codes, isCorrected: isCorrected, isRepeated: true))
      }
    }
  }

  @Test("A body and a header field challenge alike, on either kind of server", arguments: [400, 401, 403])
  func challenges(status: Int) {
    let body = Array(#"{"error":"use_dpop_nonce","error_description":"x"}"#.utf8)
    #expect(isChallenge(status: status, headers: [], body: body))
    for value in [
      #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce""#, "dpop error=use_dpop_nonce",
      #"DPoP realm="a, DPoP", algs="ES256" , Error = "use_dpop_nonce""#,
      #"Bearer realm="x", DPoP algs="ES256", error="use_dpop_nonce""#, #"Negotiate abc==, DPoP error="use_dpop_nonce""#,
      #"DPoP error="use\_dpop_nonce""#, #"Negotiate, , DPoP error="use_dpop_nonce""#,
    ] {
      #expect(
        isChallenge(status: status, headers: [("www-authenticate", value)], body: []),
        "\(value)"
      )
    }
    let several = [("WWW-Authenticate", "Bearer"), ("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#)]
    #expect(isChallenge(status: status, headers: several, body: Array("<html>".utf8)))
  }

  @Test("Another error, another scheme and another status are no challenge")
  func others() {
    let body = Array(#"{"error":"use_dpop_nonce"}"#.utf8)
    for status in [200, 302, 500, 503] {
      #expect(!isChallenge(status: status, headers: [], body: body))
    }
    for text in [
      "", "<html>use_dpop_nonce</html>", #"{"error":"invalid_grant"}"#, #"["use_dpop_nonce"]"#,
      #"{"error":["use_dpop_nonce"]}"#, #"{"error":"use_dpop_nonce","error":"x"}"#, #"{"message":"use_dpop_nonce"}"#,
    ] {
      #expect(!isChallenge(status: 400, headers: [], body: Array(text.utf8)), "\(text)")
    }
    for value in [
      "", "DPoP", #"DPoP error="invalid_token""#, #"Bearer error="use_dpop_nonce""#,
      #"DPoP realm="error=use_dpop_nonce""#, #"Bearer realm="DPoP error=use_dpop_nonce""#, #"error="use_dpop_nonce""#,
      #"DPoP error="use_dpop_nonce"#, #"DPoP error="a", error="use_dpop_nonce""#,
      #"DPoP algs="ES256", Bearer error="use_dpop_nonce""#,
    ] {
      #expect(
        !isChallenge(status: 401, headers: [("WWW-Authenticate", value)], body: []),
        "\(value)"
      )
    }
  }

  @Test("Several challenges in one field are read separately")
  func parsing() {
    let parsed = AuthenticationChallenge.parse(
      #"Basic realm="a \"b\"", DPoP algs="ES256 ES384",Nonce=x , Negotiate YQ==, Bearer"#
    )
    #expect(parsed.map(\.scheme) == ["basic", "dpop", "negotiate", "bearer"])
    #expect(
      parsed.map(\.parameters) == [["realm": #"a "b""#], ["algs": "ES256 ES384", "nonce": "x"], [:], [:]]
    )
  }
}
