import AcctModel
import Secrets
import AcctProtocol
import Testing

@Suite("Secrets in a message")
struct SecretMembersTests {
  @Test(
    "A secret in a body is found by its name, and the rest stays readable",
    arguments: [
      ("grant_type=refresh_token&refresh_token=a%2Fb&client_id=me", ["a/b"]),
      ("grant_type=authorization_code&code=c1&redirect_uri=u&code_verifier=v1", ["c1", "v1"]),
      ("response_type=code&state=s1&code_challenge=x&client_secret=p", ["s1", "p"]),
      ("token=t1&token_type_hint=refresh_token", ["t1"]),
      ("grant_type=urn%3Aietf&device_code=d1&client_assertion=j1", ["d1", "j1"]),
      (#"{"code":"c1","handle":"alice.example"}"#, ["c1"]),
      (
        #" {"a":[{"refreshToken" : "r\/1\u0041"}],"accessToken":"a1","scope":"x"}"#, ["r/1A", "a1"]
      ),
      (#"{"dpopKey":{"kty":"EC","x":"X","d":"D"},"sid":"s1"}"#, ["D", "s1"]),
      // Damaged JSON has secrets as well.
      (#"{"access_token":"a1","access_token":"a2""#, ["a1", "a2"]),
      (#"{"access_token":"cut off"#, ["cut off"]),
      ("\u{FEFF}\n{\"access_token\":\"a1\",\"scope\":[\"x\"]}", ["a1"]),
      (#"{"access_token":["a1"],"token":null,"session":{"id":"x"}}"#, []),
      ("", []), ("{}", []), ("&&=&a", []),
    ] as [(String, [String])]
  )
  func bodies(_ body: String, _ secrets: [String]) {
    #expect(SecretMembers.ofBody(Secret(body), .sent) == secrets.map { Secret($0) })
  }

  @Test("A code and a state in an answer are not secrets")
  func answers() {
    let body = Secret(#"{"error":{"code":"RATE_LIMITED"},"state":"done","guestToken":"g"}"#)
    #expect(SecretMembers.ofBody(body, .received) == [Secret("g")])
  }

  @Test("Credentials, cookies and keys in fields are secrets; a media type and a proof are not")
  func fields() {
    let fields = [
      ("Authorization", "DPoP t1"), ("authorization", "bare"), ("Cookie", "sid=s1; theme=dark"),
      ("Set-Cookie", "sid=s2; Path=/; HttpOnly"), ("X-Api-Key", "k1"), ("X-Auth-Token", "t2"),
      ("Accept", "application/json"), ("DPoP", "proof"), ("X-Device-ID", "device"),
    ].map { (name: $0.0, value: Secret($0.1)) }
    let found = SecretMembers.ofFields(fields)
    #expect(found == ["t1", "bare", "s1", "dark", "s2", "k1", "t2"].map { Secret($0) })
  }

  @Test("A callback's code, state and session are secrets")
  func queries() {
    let query = "session_token=Fe26.2*1%2Ax&did=did:plc:a&code=c1&state=s1&iss=i&error=denied"
    #expect(SecretMembers.ofQuery(query) == ["Fe26.2*1*x", "c1", "s1"].map { Secret($0) })
  }
}
