import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The accounts that docker sees")
struct DockerAccountTests {
  let record = RecordedWorld()

  private static let none = "credentials not found in native keychain\n"

  private func store(_ server: String, _ user: String, _ secret: String) async -> Int32 {
    let login: JSON = ["ServerURL": .string(server), "Username": .string(user), "Secret": .string(secret)]
    return await record.docker("store", String(decoding: login.serialized(), as: UTF8.self))
  }

  /// The password that docker gets for a server; empty where it gets none.
  private func password(of server: String) async -> String {
    _ = await record.docker("get", server)
    guard record.out != Self.none else { return "" }
    return record.json?.objectValue?["Secret"]?.stringValue ?? ""
  }

  @Test("Docker lists what a login stored, and no other password")
  func list() async {
    await record.addToken("app-password", at: "https://cloud.example", "--basic", "alice")
    await record.addToken("pat", at: "https://git.example", "--basic", "bob")
    #expect(await store("r.example", "alice", "pass") == 0)
    #expect(await record.docker("list") == 0)
    #expect(record.out == #"{"r.example":"alice"}"# + "\n")
    #expect(await record.docker("erase", "r.example") == 0)
    #expect(await record.docker("list") == 0)
    #expect(record.out == "{}\n")
  }

  @Test("A login is listed by its server alone, also after it was allowed elsewhere and renamed")
  func allowed() async {
    #expect(await store("r.example", "alice", "pass") == 0)
    #expect(await record.acct("allow", "alice@r.example", "https://s.example") == 0)
    #expect(await record.acct("rename", "alice@r.example", "registry") == 0)
    #expect(await record.docker("list") == 0)
    #expect(record.out == #"{"r.example":"alice"}"# + "\n")
    #expect(await password(of: "r.example") == "pass")
    // The user allowed it there for requests of acct, and docker has no login there.
    #expect(await password(of: "s.example") == "")
    // The next login is that account's.
    #expect(await store("r.example", "alice", "second") == 0)
    #expect(record.accountFiles == 1)
    #expect(await password(of: "r.example") == "second")
    #expect(await record.acct("header", "https://s.example/", "-a", "registry") == 0)
    #expect(await record.docker("erase", "r.example") == 0)
    #expect(record.accountFiles == 0)
  }

  @Test("Docker gets an account whose only origin is the registry, and none that has others")
  func onlyOrigin() async {
    await record.addToken("one", at: "https://r.example", "--basic", "alice")
    await record.addToken("two", at: "https://s.example", "--basic", "alice", "--allow-origin", "https://cloud.example")
    #expect(await password(of: "r.example") == "one")
    for server in ["s.example", "cloud.example"] {
      // It is the active account.
      #expect(await password(of: server) == "", "\(server)")
      #expect(
        record.err == [
          "acct: alice@s.example has other origins besides https://\(server), so the program gets "
            + "its credential only if you choose it",
          "acct: hint: log in with the program, or set ACCT_ACCOUNT",
        ]
      )
    }
    record.place([.trusted(path: "/x/.acct", names: ["alice@s.example"])])
    #expect(await password(of: "s.example") == "")
    record.place([])
    record.set("ACCT_ACCOUNT", to: "alice@s.example")
    #expect(await password(of: "s.example") == "two")
    // One that was chosen and can't answer there does not silence the others.
    #expect(await password(of: "r.example") == "one")
  }

  @Test("A token of a sign-in with other origins goes to docker only if the user chooses it")
  func token() async {
    let origins: JSON = ["https://ghcr.io", "https://api.github.com"]
    #expect(await record.add(Handoffs.bearer("bob", changing: ["origins": origins])) == 0)
    #expect(await password(of: "ghcr.io") == "")
    record.provide("-", "ghcr.io")
    record.clear()
    #expect(await record.acct("helper", "docker", "get", "-a", "bob.example.com") == 0)
    #expect(record.json?.objectValue?["Secret"] == "opaque-bob")
  }

  @Test("What a login stored precedes the active account and others of the registry's origin")
  func loginFirst() async {
    #expect(await store("r.example", "alice", "pass") == 0)
    await record.addToken("tok", at: "https://r.example", "--name", "other")
    #expect(await password(of: "r.example") == "pass")
    #expect(await record.acct("switch", "other") == 0)
    #expect(await password(of: "r.example") == "pass")
    record.set("ACCT_ACCOUNT", to: "other")
    #expect(await password(of: "r.example") == "tok")
  }

  @Test("A login of the registry's takes over the password that was added for it by hand")
  func takenOver() async {
    await record.addToken("one", at: "https://r.example", "--basic", "alice", "--name", "mine")
    #expect(await store("r.example", "alice", "two") == 0)
    #expect(record.accountFiles == 1)
    #expect(await record.docker("list") == 0)
    #expect(record.out == #"{"r.example":"alice"}"# + "\n")
    // The user's own again, after the user gave it another password.
    await record.addToken("three", at: "https://r.example", "--basic", "alice", "--name", "mine")
    #expect(await record.docker("list") == 0)
    #expect(record.out == "{}\n")
    #expect(await password(of: "r.example") == "three")
  }

  static let passwords = [
    "two words", " around ", "zwei w\u{F6}rter", "\u{5BC6}\u{7801}", "a:b", "\u{1F511}", "\"quoted\\\"", "u\u{308}",
  ]

  @Test("A password of any text is stored, found and sent as Basic", arguments: passwords)
  func anyText(_ secret: String) async {
    #expect(await store("r.example", "j\u{F6}rg", secret) == 0, "\(record.err)")
    #expect(record.out == "" && record.err == [])
    #expect(await password(of: "r.example") == secret)
    #expect(record.json?.objectValue?["Username"] == "j\u{F6}rg")
    #expect(await record.acct("list", "--json") == 0)
    let name = record.json?.objectValue?["accounts"]?.arrayValue?.first?["name"]?.stringValue ?? ""
    #expect(await record.acct("header", "https://r.example/v2/", "-a", name) == 0)
    #expect(record.out == "Authorization: Basic \(base64("j\u{F6}rg:\(secret)"))\n")
    #expect(await record.acct("token", "-a", name) == 0)
    #expect(record.out == "\(secret)\n")
    record.clear()
    #expect(await record.git("protocol=https", "host=r.example") == 0)
    #expect(record.out == "username=j\u{F6}rg\npassword=\(secret)\n")
    #expect(await record.acct("doctor") == 0, "\(record.out) \(record.err)")
  }

  static let unsendable: [(user: String, secret: String, words: String)] = [
    ("a", "a\u{1}b", "the password has a control character"),
    ("a", "a\u{7F}b", "the password has a control character"),
    ("a", "a\tb", "the password has a control character"),
    ("a", "a\nb", "the password has more than one line"),
    ("a", "\n", "the password is empty"),
    ("a:b", "pass", "the user's name has a colon or a control character"),
    ("a\u{1B}", "pass", "the user's name has a colon or a control character"),
  ]

  @Test("A login that Basic can't send is refused in words of its own", arguments: unsendable)
  func refused(_ login: (user: String, secret: String, words: String)) async {
    #expect(await store("r.example", login.user, login.secret) == 1)
    #expect(record.out == "" && record.accountFiles == 0 && record.keyring.count == 0)
    #expect(record.err.first?.hasPrefix("acct: \(login.words)") == true, "\(record.err)")
    #expect(!record.err.joined().contains("--"), "\(record.err)")
  }
}
