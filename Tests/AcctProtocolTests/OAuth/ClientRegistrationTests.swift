import AcctModel
import Secrets
import AcctProtocol
import StrictJSON
import Testing

@Suite("The registration of a client")
struct ClientRegistrationTests {
  private let request = ClientRegistration(
    redirects: ["http://127.0.0.1:1234/callback", "http://127.0.0.1/callback"],
    scope: "read",
    usesDeviceFlow: true,
    authentication: .none
  )

  private func client(_ text: String) throws(OAuthError) -> RegisteredClient {
    let json: JSON
    do { json = try JSON(parsing: Array(text.utf8)) } catch { throw .malformedAnswer(member: "test") }
    return try RegisteredClient(json, to: request)
  }

  private func flaw(_ text: String) -> String? {
    do throws(OAuthError) {
      _ = try client(text)
      return nil
    } catch {
      if case .malformedAnswer(let member) = error { return member }
      return "another error"
    }
  }

  @Test("A registration requests a native client without a secret, at loopback addresses")
  func requested() {
    #expect(
      request.json == [
        "client_name": "acct", "application_type": "native",
        "redirect_uris": ["http://127.0.0.1:1234/callback", "http://127.0.0.1/callback"],
        "response_types": ["code"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        "token_endpoint_auth_method": "none", "scope": "read",
      ]
    )
    #expect(
      request.mastodonForm.openedText
        == "client_name=acct&redirect_uris=http%3A%2F%2F127.0.0.1%3A1234%2Fcallback%0A"
        + "http%3A%2F%2F127.0.0.1%2Fcallback&scopes=read"
    )
  }

  @Test("A client with a secret authenticates as the answer says, by Basic where it does not say")
  func secrets() throws {
    let silent = try client(#"{"client_id":"c","client_secret":"made-up"}"#)
    #expect(silent.authentication == .basic)
    #expect(silent.secret == Secret("made-up"))
    let post = try client(
      #"{"client_id":"c","client_secret":"made-up","token_endpoint_auth_method":"client_secret_post","client_secret_expires_at":4}"#
    )
    #expect(post.authentication == .post)
    #expect(post.secretExpiresAt == Timestamp(clamped: 4))
    let unasked = try client(
      #"{"client_id":"c","client_secret":"made-up","token_endpoint_auth_method":"none","client_secret_expires_at":0}"#
    )
    #expect(unasked.authentication == .none)
    #expect(unasked.secret == nil)
    #expect(unasked.secretExpiresAt == nil)
    #expect(try client(#"{"client_id":"c"}"#).authentication == .none)
  }

  @Test(
    "A hostile answer is rejected, and the member is named",
    arguments: [
      ("[]", "body"), ("{}", "client_id"), (#"{"client_id":""}"#, "client_id"),
      (#"{"client_id":["c"]}"#, "client_id"), (#"{"client_id":"a\nb"}"#, "client_id"),
      (
        #"{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}"#,
        "token_endpoint_auth_method"
      ),
      (#"{"client_id":"c","redirect_uris":["https://evil.example"]}"#, "redirect_uris"),
      (#"{"client_id":"c","redirect_uris":"https://evil.example"}"#, "redirect_uris"),
    ]
  )
  func hostile(answer: String, member: String) {
    #expect(flaw(answer) == member)
  }

  @Test(
    "A client identifier is all that is needed, and a number is its digits",
    arguments: [
      #"{"client_id":5521}"#, #"{"client_id":"5521","client_secret":""}"#,
      #"{"client_id":" 5521 ","client_secret":[]}"#,
      #"{"client_id":"5521","client_secret":"a\r\nX: b"}"#,
      #"{"client_id":"5521","token_endpoint_auth_method":"client_secret_basic"}"#,
      #"{"client_id":"5521","token_endpoint_auth_method":["none"]}"#,
      #"{"client_id":"5521","client_secret_expires_at":"soon"}"#,
      #"{"client_id":"5521","client_secret_expires_at":-1}"#,
      #"{"client_id":"5521","client_secret_expires_at":"0"}"#, #"{"client_id":"5521","redirect_uris":[]}"#,
      #"{"client_id":"5521","redirect_uris":""}"#, #"{"client_id":"5521","redirect_uris":{}}"#,
    ]
  )
  func enough(answer: String) throws {
    let client = try client(answer)
    #expect(client.clientID == "5521")
    #expect(client.authentication == .none && client.secret == nil && client.secretExpiresAt == nil)
  }

  @Test("A secret's end may be a text")
  func textualEnd() throws {
    let client = try client(#"{"client_id":"c","client_secret":"made-up","client_secret_expires_at":" 4 "}"#)
    #expect(client.secretExpiresAt == Timestamp(clamped: 4))
  }

  @Test("An answer that keeps one of the addresses is accepted")
  func addresses() {
    #expect(flaw(#"{"client_id":"c","redirect_uris":["http://127.0.0.1/callback"]}"#) == nil)
    #expect(flaw(#"{"client_id":"c","redirect_uris":null}"#) == nil)
  }
}
