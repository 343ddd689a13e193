import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// `acct helper aws`, byte by byte.
@Suite("Temporary keys of AWS roles")
struct AWSHelperTests {
  private let cloud = TokenServiceOfAWS()
  private var record: RecordedWorld { cloud.server.record }

  @Test("A program gets the keys of a role in version 1, for the ID token")
  func answer() async {
    await cloud.signIn()
    #expect(await cloud.ask() == 0, "\(record.err)")
    #expect(
      record.out
        == #"{"Version":1,"AccessKeyId":"ASIA1","SecretAccessKey":"secret/1+=","SessionToken":"session/1","#
        + #""Expiration":"2027-01-15T09:00:00Z"}"# + "\n"
    )
    #expect(record.err.isEmpty)
    let token = record.keyring.items.values.first?[.idToken].map(RowServer.text)
    #expect(
      cloud.forms.map(\.form) == [
        [
          "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": TokenServiceOfAWS.role,
          "RoleSessionName": "acct", "WebIdentityToken": token,
        ]
      ]
    )
    #expect(cloud.forms.map(\.host) == ["https://sts.amazonaws.com"])
  }

  @Test("With --access it is the access token, and session and duration are those of the options")
  func options() async {
    await cloud.signIn()
    #expect(await cloud.ask("--access", "--session-name=ci@job", "--duration", "900") == 0, "\(record.err)")
    #expect(cloud.forms.last?.form["WebIdentityToken"] == "at-1-long-enough")
    #expect(cloud.forms.last?.form["RoleSessionName"] == "ci@job")
    #expect(cloud.forms.last?.form["DurationSeconds"] == "900")
  }

  @Test("A service that is no origin of the account gets nothing, and the hint allows it")
  func origin() async {
    #expect(await cloud.server.add() == 0)
    #expect(await cloud.ask("--account", "alice@as.example") == 8)
    #expect(cloud.forms.isEmpty && record.out.isEmpty)
    #expect(
      record.err.last?.contains("`acct allow alice@as.example https://sts.amazonaws.com`") == true,
      "\(record.err)"
    )
    #expect(await cloud.ask() == 5)
    #expect(record.err.last?.contains("`acct allow NAME https://sts.amazonaws.com`") == true, "\(record.err)")
  }

  @Test(
    "The region chooses the service, and a variable one on this machine alone",
    arguments: [
      (["AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-east-2"], [], "https://sts.eu-west-1.amazonaws.com"),
      (["AWS_DEFAULT_REGION": "us-east-2"], [], "https://sts.us-east-2.amazonaws.com"),
      (["AWS_REGION": "eu-west-1"], ["--region", "cn-north-1"], "https://sts.cn-north-1.amazonaws.com.cn"),
      (["AWS_ENDPOINT_URL_STS": "https://evil.example"], [], "https://sts.amazonaws.com"),
      (["AWS_ENDPOINT_URL_STS": "http://127.0.0.1:5000"], ["--region", "x"], "http://127.0.0.1:5000"),
    ]
  )
  func endpoint(variables: [String: String], words: [String], origin: String) async {
    await cloud.signIn("--allow-origin", origin)
    for (name, value) in variables { record.set(name, to: value) }
    #expect(await cloud.ask(words) == 0, "\(record.err)")
    #expect(cloud.forms.map(\.host) == [origin])
  }

  @Test(
    "A line that STS can't get is a usage error with a hint, and nothing is sent",
    arguments: [
      ["--region", "eu.evil.example/"], ["--region", "EU-WEST-1"], ["--region", "-x"], ["--region", ""],
      ["--duration", "899"], ["--duration", "43201"], ["--duration", "+900"], ["--duration"],
      ["--session-name", "a"], ["--session-name", "a b"], ["--access=yes"], ["--access", "--access"], ["--role"],
      ["more"], ["--role-arn", "arn:aws:iam::123456789012:role/x"], ["--role-arn"],
    ]
  )
  func malformed(words: [String]) async {
    await cloud.signIn()
    #expect(await cloud.ask(words) == 64)
    #expect(record.out.isEmpty && cloud.forms.isEmpty)
    #expect(record.err.last?.hasPrefix("acct: hint: ") == true, "\(record.err)")
  }

  @Test(
    "An option that is missing, malformed or mistyped is named with what it takes",
    arguments: [
      ([], "--role-arn is missing, or has no value", "it is as in arn:aws:iam::123456789012:role/NAME;"),
      (
        ["--role-arn", "made-up"], "--role-arn has an unusable value",
        "it is as in arn:aws:iam::123456789012:role/NAME;"
      ),
      (["--role", "made-up"], "unknown option '--role'", "did you mean `--role-arn`?"),
      (
        ["--role-arn", TokenServiceOfAWS.role, "--duration", "1"], "--duration has an unusable value",
        "it is a number of seconds from 900 to 43200;"
      ),
    ]
  )
  func wrongOption(words: [String], text: String, hint: String) async {
    #expect(await record.run(["helper", "aws"] + words) == 64)
    #expect(record.err == ["acct: \(text)", "acct: hint: \(hint) `man acct-helper` shows what it takes"])
  }

  @Test(
    "STS's refusals have their own exit statuses and words, with its code and message",
    arguments: [
      ("ExpiredTokenException", 4, "rejects the token as expired: "),
      ("InvalidIdentityToken", 4, "does not know the token's issuer, or the client that it is for: "),
      ("IDPRejectedClaim", 4, "has it from the token's issuer that a claim is not valid: "),
      ("AccessDenied", 4, "does not let the token's user take the role: "),
      ("Throttling", 9, "reports too many requests"), ("RequestLimitExceeded", 9, "reports too many requests"),
      ("SlowDown", 9, "reports too many requests"), ("RequestThrottledException", 9, "reports too many requests"),
      ("MalformedPolicyDocument", 11, "refused (400): "),
      ("IDPCommunicationError", 11, "can't reach the token's issuer: "),
      ("RegionDisabledException", 11, "is not turned on for the role's AWS account: "),
    ]
  )
  func refused(code: String, status: Int32, words: String) async {
    await cloud.signIn()
    let token = record.keyring.items.values.first?[.idToken].map(RowServer.text) ?? ""
    cloud.say(cloud.refusal(code, "no: \(token)"), status: 400)
    #expect(await cloud.ask() == status)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.hasPrefix("acct: https://sts.amazonaws.com \(words)") == true, "\(record.err)")
    #expect(record.err.count(where: { $0.contains(token) }) == 0, "\(record.err)")
    guard status != 9 else { return }
    #expect(record.err.first?.contains("\(code): no: ") == true, "\(record.err)")
    let hasLogin = record.err.contains { $0.contains("`acct login alice@as.example`") }
    #expect(hasLogin == (status == 4 && code != "AccessDenied"), "\(record.err)")
  }

  @Test(
    "An answer that is not STS's is an error of the server, and nothing of it is kept",
    arguments: [
      "", "{}", "<a/>", "<AssumeRoleWithWebIdentityResponse>", TokenServiceOfAWS.keys(1) + "<b/>",
      "<!DOCTYPE a [<!ENTITY x 'ASIA1'>]>" + TokenServiceOfAWS.keys(1),
      TokenServiceOfAWS.keys(1).replacing("ASIA1", with: "&x;"),
      TokenServiceOfAWS.keys(1).replacing("ASIA1", with: "ASIA 1"),
      TokenServiceOfAWS.keys(1).replacing("ASIA1", with: ""),
      TokenServiceOfAWS.keys(1).replacing("ASIA1", with: "<b>ASIA1</b>"),
      TokenServiceOfAWS.keys(1).replacing("<SessionToken>", with: "<SessionToken>x</SessionToken><SessionToken>"),
      TokenServiceOfAWS.keys(1).replacing("2027-01-15T09:00:00Z", with: "2027-01-15T08:00:00Z"),
      TokenServiceOfAWS.keys(1).replacing("2027-01-15T09:00:00Z", with: "soon"),
      TokenServiceOfAWS.keys(1).replacing("session/1", with: String(repeating: "x", count: 1 << 16)),
      String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
      "<a>" + String(repeating: "<b/>", count: 257) + "</a>",
    ]
  )
  func answerOfAnother(body: String) async {
    await cloud.signIn()
    cloud.say(body, status: 200)
    #expect(await cloud.ask() == 11, "\(record.err)")
    #expect(record.out.isEmpty && record.keyring.items.values.first?[.roleKeys] == nil)
  }

  @Test(
    "References to characters and the five entities of XML are read",
    arguments: [("&#65;SIA1", "ASIA1"), ("A&amp;B", "A&B")]
  )
  func entities(written: String, read: String) async {
    await cloud.signIn()
    cloud.say(TokenServiceOfAWS.keys(1).replacing("ASIA1", with: written), status: 200)
    #expect(await cloud.ask() == 0, "\(record.err)")
    #expect(record.json?.objectValue?["AccessKeyId"]?.stringValue == read)
  }

  @Test("A service that fails says so with its status")
  func failing() async {
    await cloud.signIn()
    for (status, exit) in [(503, 11), (429, 9), (404, 11), (302, 11)] as [(Int, Int32)] {
      cloud.say("", status: status)
      #expect(await cloud.ask() == exit, "\(record.err)")
    }
  }
}
