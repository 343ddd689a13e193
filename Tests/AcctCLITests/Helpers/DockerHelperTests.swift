import Secrets
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Answers to docker")
struct DockerHelperTests {
  let record = RecordedWorld()

  private static let none = "credentials not found in native keychain\n"

  private func store(_ server: String, _ user: String, _ secret: String) async -> Int32 {
    let login: JSON = ["ServerURL": .string(server), "Username": .string(user), "Secret": .string(secret)]
    return await record.docker("store", String(decoding: login.serialized(), as: UTF8.self))
  }

  @Test("A login is kept as a static account, found by each name of the registry, and deleted")
  func login() async {
    #expect(await store("registry.example:5000", "alice", "pass") == 0)
    #expect(record.out == "" && record.err == [])
    for server in [
      "registry.example:5000", "registry.example:5000\n", "https://registry.example:5000",
      "https://registry.example:5000/v2/", "registry.example:5000/v2/", "REGISTRY.example:5000",
    ] {
      #expect(await record.docker("get", server) == 0)
      let shown = JSON.string(String(server.filter { $0 != "\n" })).serialized()
      let url = String(decoding: shown, as: UTF8.self)
      #expect(record.out == #"{"ServerURL":\#(url),"Username":"alice","Secret":"pass"}"# + "\n")
    }
    #expect(await record.docker("list", "unused") == 0)
    #expect(record.out == #"{"registry.example:5000":"alice"}"# + "\n")
    #expect(
      await record.acct("header", "https://registry.example:5000/v2/", "-a", "alice@registry.example:5000") == 0
    )
    #expect(record.out == "Authorization: Basic YWxpY2U6cGFzcw==\n")
    #expect(await record.docker("erase", "https://registry.example:5000/") == 0)
    #expect(record.out == "")
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
    #expect(await record.docker("get", "registry.example:5000") == 1)
    #expect(record.out == Self.none && record.err == [])
    #expect(await record.docker("erase", "registry.example:5000") == 0)
    #expect(record.out == "" && record.err == [])
  }

  @Test("A second login replaces the first one, also another user's, and no account becomes active")
  func replaced() async {
    #expect(await store("registry.example", "alice", "one") == 0)
    #expect(await store("registry.example", "alice", "two") == 0)
    #expect(record.accountFiles == 1)
    #expect(await store("https://registry.example", "bob", "three") == 0)
    #expect(record.accountFiles == 1)
    #expect(await record.docker("get", "registry.example") == 0)
    #expect(record.json?.objectValue?["Username"] == "bob")
    #expect(record.json?.objectValue?["Secret"] == "three")
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.json?.objectValue?["active"] == .null)
  }

  @Test("Docker Hub is listed by the URL that docker has for it")
  func hub() async {
    #expect(await store("https://index.docker.io/v1/", "alice", "pass") == 0)
    #expect(await record.docker("list") == 0)
    #expect(record.out == #"{"https://index.docker.io/v1/":"alice"}"# + "\n")
    #expect(await record.docker("get", "https://index.docker.io/v1/") == 0)
    #expect(record.json?.objectValue?["Secret"] == "pass")
  }

  @Test("A registry on this machine that has no scheme is found at http and at https")
  func loopback() async {
    #expect(await store("localhost:5000", "alice", "pass") == 0)
    for server in ["localhost:5000", "http://localhost:5000", "https://localhost:5000/v2/"] {
      #expect(await record.docker("get", server) == 0, "\(server)")
    }
    #expect(await record.docker("list") == 0)
    #expect(record.out == #"{"localhost:5000":"alice"}"# + "\n")
    await record.addToken("tok", at: "http://127.0.0.1:5000")
    #expect(await record.docker("get", "127.0.0.1:5000") == 0)
    #expect(record.json?.objectValue?["Secret"] == "tok")
    #expect(await record.docker("get", "http://registry.example") == 1)
    #expect(record.out == Self.none)
    #expect(record.err.first?.contains("plain http") == true)
  }

  @Test("A token of a sign-in is a password for docker, is not listed, and no logout deletes it")
  func token() async {
    _ = await record.add(Handoffs.bearer("bob", changing: ["origins": ["https://gcr.io"]]))
    #expect(await record.docker("get", "gcr.io") == 0)
    #expect(record.json?.objectValue?["Username"] == "oauth2accesstoken")
    #expect(record.json?.objectValue?["Secret"] == "opaque-bob")
    #expect(await record.docker("list") == 0)
    #expect(record.out == "{}\n")
    #expect(await record.docker("erase", "gcr.io") == 0)
    #expect(record.out == "" && record.accountFiles == 1)
    #expect(record.err.first?.hasSuffix("is not a login that the program has stored") == true)
  }

  @Test("A logout deletes no token that other servers get, too, or that is sent in another form")
  func others() async {
    await record.addToken("a", at: "https://r.example", "--basic", "a", "--allow-origin", "https://s.example")
    await record.addToken("b", at: "https://r.example")
    #expect(await record.docker("erase", "r.example") == 0)
    #expect(record.accountFiles == 2)
    #expect(await record.acct("allow", "a@r.example", "https://t.example") == 0)
    #expect(await store("r.example", "c", "pass") == 0)
    #expect(record.accountFiles == 3)
    #expect(await record.docker("erase", "r.example") == 0)
    #expect(record.accountFiles == 2)
  }

  @Test("Docker Hub's tokens of a web login are no logins: none is kept, found, or in a login's place")
  func webLogin() async {
    let hub = "https://index.docker.io/v1/"
    #expect(await store(hub, "alice", "pass") == 0)
    for key in ["access-token", "refresh-token"] {
      #expect(await store(hub + key, "alice", "made-up..client") == 0)
      #expect(record.out == "" && record.err == [] && record.accountFiles == 1)
      #expect(await record.docker("get", hub + key) == 1)
      #expect(record.out == Self.none)
      #expect(await record.docker("erase", hub + key) == 0)
      #expect(record.out == "" && record.err == [])
    }
    #expect(await record.docker("get", hub) == 0)
    #expect(record.json?.objectValue?["Secret"] == "pass")
  }

  @Test(
    "A name that only resembles the registry's gets nothing",
    arguments: [
      "registry.example@evil.test", "user@registry.example", "registry.example?evil.test", "registry.example#evil.test",
      "registry.example%2fevil.test", "registry.example\\evil.test", "registry.example.", "registry.example:8443",
      "registry.example evil.test", "/registry.example", "evil.test//registry.example", "evil.test/registry.example",
      "régistry.example", "https://user:pw@registry.example", "https://registry.example@evil.test",
      "ssh://registry.example", "https:registry.example", "http://registry.example", "://registry.example",
    ]
  )
  func foreign(_ server: String) async {
    #expect(await store("registry.example", "alice", "pass") == 0)
    #expect(await record.docker("get", server) == 1)
    #expect(record.out == Self.none)
  }

  @Test(
    "What is not docker's protocol is an error without output",
    arguments: [
      ("get", "", 1), ("get", " \n", 1), ("erase", "", 1), ("store", "", 1), ("store", "[]", 1), ("store", "{}", 1),
      ("store", #"{"ServerURL":"a.example","Username":"a"}"#, 1),
      ("store", #"{"ServerURL":"a.example","Username":"","Secret":"s"}"#, 1),
      ("store", #"{"ServerURL":"a.example","Username":"a","Secret":1}"#, 1),
      ("store", #"{"ServerURL":"a.example","Username":"a","Secret":"s","Secret":"t"}"#, 1),
      ("store", #"{"ServerURL":"a b","Username":"a","Secret":"s"}"#, 1),
      ("store", #"{"ServerURL":"http://a.example","Username":"a","Secret":"s"}"#, 1),
      ("store", #"{"ServerURL":"a.example","Username":"a:b","Secret":"s"}"#, 1),
      ("store", #"{"ServerURL":"a.example","Username":"a","Secret":"two\nlines"}"#, 1), ("fetch", "", 64),
    ]
  )
  func malformed(_ operation: String, _ question: String, _ status: Int32) async {
    #expect(await record.docker(operation, question) == status)
    #expect(record.out == "" && !record.err.isEmpty)
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("A login while the keyring is locked stores nothing, shows no prompt and says why")
  func locked() async {
    await record.addToken("tok", at: "https://a.example")
    record.keyring.lock()
    record.keyring.unlockWhenAsked()
    #expect(await store("registry.example", "alice", "pass") == 1)
    #expect(record.out == "" && record.accountFiles == 1)
    #expect(record.err.first?.hasPrefix("acct: the keyring is locked") == true)
  }

  @Test("Docker is told the version, and with --verbose why a registry has no credential")
  func version() async {
    #expect(await record.docker("version") == 0)
    #expect(record.out.hasPrefix("docker-credential-acct (acct) v"))
    #expect(await record.helper("registry.example", "docker", "get", "--verbose") == 1)
    #expect(record.out == Self.none)
    #expect(record.err.first == "acct: no account has the origin https://registry.example")
  }
}
