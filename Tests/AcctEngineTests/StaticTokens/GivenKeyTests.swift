import AcctEngine
import AcctProtocol
import Secrets
import Testing

/// What people copy in place of a key.
@Suite("A key as it was given")
struct GivenKeyTests {
  private static func text(_ secret: Secret) -> String {
    secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  @Test(
    "White space around a key is not a part of it",
    arguments: [(" sk-a \r\n", "sk-a"), ("\tsk-a", "sk-a"), ("\n", ""), ("", ""), ("sk a", "sk a")]
  )
  func trimmed(_ given: String, _ key: String) {
    #expect(Self.text(GivenKey(Secret(given)).text) == key)
  }

  @Test(
    "A variable with its value is understood as shells and files of settings write it",
    arguments: [
      ("OPENAI_API_KEY=sk-a", "OPENAI_API_KEY", "sk-a"), ("export OPENAI_API_KEY=sk-a", "OPENAI_API_KEY", "sk-a"),
      ("export  A=\"sk-a\"", "A", "sk-a"), ("A='sk-a'", "A", "sk-a"), ("A=\"sk-a", "A", "\"sk-a"),
      ("A1_=a=b==", "A1_", "a=b=="),
      ("MapboxAccessToken=pk.a", "MapboxAccessToken", "pk.a"),
    ]
  )
  func assignment(_ given: String, _ variable: String, _ value: String) throws {
    let assignment = try #require(GivenKey(Secret(given)).assignment(knowing: ["MapboxAccessToken"]))
    #expect(assignment.variable == variable)
    #expect(Self.text(assignment.value) == value)
  }

  @Test(
    "A key with `=` in it is no variable",
    arguments: [
      "ABCDEFGH==", "ABCDEFG=", "abc=def", "token=abc", "=abc", "1A=abc", "A-B=c", "A=\"\"", "export A", "exportA",
    ]
  )
  func noAssignment(_ given: String) {
    #expect(GivenKey(Secret(given)).assignment(knowing: ["MapboxAccessToken"]) == nil)
  }

  private static func provider(_ name: String, _ prefixes: String) throws -> Provider {
    let file = #"{"kind":"key","origins":["https://a.example"],"send":"bearer","prefixes":[\#(prefixes)]}"#
    return try Provider(parsing: Array(file.utf8), name: name)
  }

  @Test("A key belongs to the provider with the longest prefix that fits, the first of two equal ones")
  func owner() throws {
    let providers = [
      try Self.provider("one", #""sk-","xx""#), try Self.provider("two", #""sk-ant-""#),
      try Self.provider("three", #""sk-""#),
      try Self.provider("none", ""),
    ]
    func owner(_ key: String) -> String? { GivenKey(Secret(key)).owner(among: providers)?.name }
    #expect(owner("sk-abc") == "one")
    #expect(owner("sk-ant-abc") == "two")
    #expect(owner("sk-ant") == "one")
    #expect(owner("xx") == "one")
    #expect(owner("x") == nil)
    #expect(owner("") == nil)
  }
}
