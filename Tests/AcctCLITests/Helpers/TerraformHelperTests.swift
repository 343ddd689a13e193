import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Answers to terraform")
struct TerraformHelperTests {
  let record = RecordedWorld()

  private func terraform(_ operation: String, _ host: String, _ question: String = "") async -> Int32 {
    await record.helper(question, "terraform", operation, host)
  }

  @Test("A login is kept as a static account, found by its host, and deleted")
  func login() async {
    #expect(await terraform("store", "tf.example:8443", #"{"token":"tok"}"#) == 0)
    #expect(record.out == "" && record.err == [])
    #expect(await terraform("get", "tf.example:8443") == 0)
    #expect(record.out == #"{"token":"tok"}"# + "\n" && record.err == [])
    #expect(await record.acct("header", "https://tf.example:8443/", "-a", "terraform@tf.example:8443") == 0)
    #expect(record.out == "Authorization: Bearer tok\n")
    #expect(await terraform("store", "tf.example:8443", #"{"token":"two"}"#) == 0)
    #expect(record.accountFiles == 1)
    #expect(await terraform("get", "tf.example:8443") == 0)
    #expect(record.out == #"{"token":"two"}"# + "\n")
    #expect(await terraform("forget", "tf.example:8443") == 0)
    #expect(record.out == "" && record.accountFiles == 0 && record.keyring.count == 0)
    #expect(await terraform("forget", "tf.example:8443") == 0)
    #expect(record.out == "" && record.err == [])
  }

  @Test("A host without an account has an empty object")
  func none() async {
    #expect(await terraform("get", "tf.example") == 0)
    #expect(record.out == "{}\n" && record.err == [])
  }

  @Test("A logout deletes what a login stored, and no token of the user's or of docker's")
  func forget() async {
    await record.addToken("mine", at: "https://tf.example", "--name", "mine")
    let login = #"{"ServerURL":"tf.example","Username":"alice","Secret":"pass"}"#
    #expect(await record.docker("store", login) == 0)
    #expect(await terraform("store", "tf.example", #"{"token":"tok"}"#) == 0)
    #expect(record.accountFiles == 3)
    // A login precedes the active account.
    #expect(await terraform("get", "tf.example") == 0)
    #expect(record.out == #"{"token":"tok"}"# + "\n")
    #expect(await terraform("forget", "tf.example") == 0)
    #expect(record.accountFiles == 2)
    #expect(await terraform("forget", "tf.example") == 0)
    #expect(record.accountFiles == 2)
    #expect(await terraform("get", "tf.example") == 0)
    #expect(record.out == #"{"token":"mine"}"# + "\n")
    #expect(await record.docker("erase", "tf.example") == 0)
    #expect(record.accountFiles == 1)
  }

  @Test("A token of a sign-in goes to terraform only if the user chooses it, and a .acct file is no choice")
  func chosen() async {
    #expect(await record.add(Handoffs.bearer("bob", changing: ["origins": ["https://tf.example"]])) == 0)
    #expect(await terraform("get", "tf.example") == 1)
    #expect(record.out == "" && record.err.first?.contains("only if you choose it") == true)
    record.place([.trusted(path: "/x/.acct", names: ["bob.example.com"])])
    #expect(await terraform("get", "tf.example") == 1)
    #expect(record.out == "")
    record.set("ACCT_ACCOUNT", to: "bob.example.com")
    #expect(await terraform("get", "tf.example") == 0)
    #expect(record.out == #"{"token":"opaque-bob"}"# + "\n")
  }

  @Test(
    "A host that only resembles another gets nothing",
    arguments: ["tf.example:8443", "tf.example@evil.test", "tf.example?x", "tf.example/", "https://tf.example", "évil"]
  )
  func foreign(_ host: String) async {
    #expect(await terraform("store", "tf.example", #"{"token":"tok"}"#) == 0)
    _ = await terraform("get", host)
    #expect(!record.out.contains("tok\""))
  }

  @Test(
    "An object that is no token alone is not kept",
    arguments: ["", "[]", "{}", #"{"token":1}"#, #"{"token":""}"#, #"{"token":"a","other":"b"}"#]
  )
  func malformed(_ question: String) async {
    #expect(await terraform("store", "tf.example", question) == 1)
    #expect(record.out == "" && !record.err.isEmpty)
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("A locked keyring is a failure with its reason, for each operation")
  func locked() async {
    #expect(await terraform("store", "tf.example", #"{"token":"tok"}"#) == 0)
    record.keyring.lock()
    record.keyring.unlockWhenAsked()
    #expect(await terraform("get", "tf.example") == 1)
    #expect(record.out == "" && record.err.first?.hasPrefix("acct: the keyring is locked") == true)
    #expect(await terraform("store", "b.example", #"{"token":"tok"}"#) == 1)
    #expect(record.out == "" && record.err.first?.hasPrefix("acct: the keyring is locked") == true)
  }
}
