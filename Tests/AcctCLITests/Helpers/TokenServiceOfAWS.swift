import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import Synchronization
import Testing

/// An OpenID provider, and a token service of AWS that trusts it.
final class TokenServiceOfAWS: Sendable {
  static let role = "arn:aws:iam::123456789012:role/made-up"

  struct Form: Sendable {
    var host: String
    var form: [String: String?]
  }

  private struct State {
    var forms: [Form] = []
    var said: (String, Int)?
  }

  let server = OpenIDServer()
  private let state = Mutex(State())

  init() {
    server.record.serve { [self] request throws(HTTPFailure) in
      guard request.url.origin.description != OpenIDServer.issuer else { return server.answer(request) }
      let form = RehearsedBrowser.parameters(of: "?" + RowServer.text(request.body))
      let (number, said) = state.withLock { state in
        state.forms.append(Form(host: request.url.origin.description, form: form))
        return (state.forms.count, state.said)
      }
      return .xml(said?.0 ?? Self.keys(number), said?.1 ?? 200)
    }
  }

  /// The forms that it got, oldest first.
  var forms: [Form] { state.withLock { $0.forms } }

  /// Answers so from now on.
  func say(_ body: String, status: Int) { state.withLock { $0.said = (body, status) } }

  /// Signs in, with the service among the account's origins.
  func signIn(_ options: String...) async {
    #expect(await server.add(["--allow-origin", "https://sts.amazonaws.com"] + options) == 0, "\(server.record.err)")
  }

  /// Runs the helper.
  func ask(_ words: String..., role: String = role) async -> Int32 { await ask(words, role: role) }

  func ask(_ words: [String], role: String = role) async -> Int32 {
    server.record.clear()
    return await server.record.run(["helper", "aws", "--role-arn", role] + words)
  }

  /// The answer with the keys of a number, for an hour from the start of the test's time.
  static func keys(_ number: Int) -> String {
    """
    <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><SubjectFromWebIdentityToken>alice</SubjectFromWebIdentityToken>
        <Credentials><AccessKeyId>ASIA\(number)</AccessKeyId><SecretAccessKey>secret/\(number)+=</SecretAccessKey>
          <SessionToken>session/\(number)</SessionToken><Expiration>\(number == 1 ? "2027-01-15T09:00:00Z" : "2027-01-15T10:00:00Z")</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult>
      <ResponseMetadata><RequestId>made-up</RequestId></ResponseMetadata>
    </AssumeRoleWithWebIdentityResponse>
    """
  }

  /// A refusal with a code and a message.
  func refusal(_ code: String, _ message: String) -> String {
    """
    <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>\(code)</Code>
    <Message>\(message)</Message></Error><RequestId>made-up</RequestId></ErrorResponse>
    """
  }
}

extension HTTPResponse {
  fileprivate static func xml(_ body: String, _ status: Int) -> HTTPResponse {
    HTTPResponse(status: status, fields: [("Content-Type", "text/xml")], body: Secret(body))
  }
}
