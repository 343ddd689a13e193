import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// What `acct helper aws` keeps, and for how long.
@Suite("The kept keys of AWS roles")
struct KeptRoleKeysTests {
  private let cloud = TokenServiceOfAWS()
  private var record: RecordedWorld { cloud.server.record }
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  @Test("Keys are kept until five minutes before they expire, each by role, region, session and duration")
  func kept() async {
    await cloud.signIn("--allow-origin", "https://sts.eu-central-1.amazonaws.com")
    #expect(await cloud.ask() == 0)
    let first = record.out
    record.now += 3299
    #expect(await cloud.ask() == 0)
    #expect(record.out == first && cloud.forms.count == 1)
    cloud.server.set { $0.claims?["exp"] = 1_800_010_000 }
    record.now += 1
    #expect(await cloud.ask() == 0, "\(record.err)")
    #expect(record.out != first && cloud.forms.count == 2)
    for (count, words) in [
      ["--region", "eu-central-1"], ["--session-name", "other"], ["--duration", "3600"], ["--access"],
    ].enumerated() {
      #expect(await cloud.ask(words) == 0, "\(record.err)")
      #expect(cloud.forms.count == 3 + count, "\(words)")
      #expect(await cloud.ask(words) == 0)
      #expect(cloud.forms.count == 3 + count, "\(words)")
    }
    #expect(await cloud.ask(role: "arn:aws:iam::123456789012:role/other") == 0)
    #expect(cloud.forms.count == 7)
    let item = record.keyring.items.values.first?[.roleKeys].map(RowServer.text)
    #expect(item?.contains("ASIA7") == true)
  }

  @Test("Signing in again, and removing the account, forget the kept keys")
  func forgotten() async {
    await cloud.signIn()
    #expect(await cloud.ask() == 0)
    #expect(record.keyring.items.values.first?[.roleKeys] != nil)
    await cloud.signIn()
    #expect(record.keyring.items.count == 1 && record.keyring.items.values.first?[.roleKeys] == nil)
    #expect(await cloud.ask() == 0)
    #expect(record.keyring.items.values.first?[.roleKeys] != nil)
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(record.keyring.count == 0)
  }

  @Test("A renewal of the account's tokens keeps the keys, and a damaged item is replaced")
  func renewed() async {
    await cloud.signIn()
    #expect(await cloud.ask() == 0)
    #expect(await record.acct("refresh", "alice@as.example") == 0, "\(record.err)")
    #expect(await cloud.ask() == 0)
    #expect(cloud.forms.count == 1)
    record.keyring.put(.roleKeys, Secret("{}"))
    #expect(await cloud.ask() == 0, "\(record.err)")
    #expect(cloud.forms.count == 2)
  }

  @Test("An export has no keys of roles")
  func exported() async {
    await cloud.signIn()
    #expect(await cloud.ask() == 0)
    record.secretFiles["pass"] = "made-up passphrase"
    #expect(await record.acct("export", "--all", "-o", "out", "--passphrase-file", "pass") == 0, "\(record.err)")
    let other = RecordedWorld()
    other.secretFiles["pass"] = "made-up passphrase"
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.acct("add", "--import", "in", "--passphrase-file", "pass") == 0, "\(other.err)")
    #expect(other.keyring.items.values.first?[.idToken] != nil)
    #expect(other.keyring.items.values.first?[.roleKeys] == nil)
  }

  @Test("A document's account obtains keys, and nothing of them is kept")
  func document() async {
    record.provide(
      "job.json",
      """
      {"access_token":"made-up","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z","issuer":"https://as.example",
       "clientId":"client","handle":"alice.example","origins":["https://sts.amazonaws.com"],"id_token":"\(Self.idToken)"}
      """
    )
    for count in 1...2 {
      #expect(await cloud.ask("--credentials", "job.json") == 0, "\(record.err)")
      #expect(cloud.forms.count == count)
    }
    #expect(cloud.forms.last?.form["WebIdentityToken"] == Self.idToken)
    #expect(record.keyring.count == 0 && record.filesText.isEmpty)
  }
}
