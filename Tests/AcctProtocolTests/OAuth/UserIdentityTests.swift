import AcctProtocol
import StrictJSON
import Testing

@Suite("Who a server says has signed in")
struct UserIdentityTests {
  @Test("A subject is a text or a whole number, and the name is the first that there is")
  func read() {
    let gitHub: JSONObject = ["id": 583231, "login": "octocat", "name": "The Octocat"]
    let user = UserIdentity(gitHub, subject: "id", name: "login")
    #expect(user?.subject == "583231")
    #expect(user?.name == "octocat")
    let connect: JSONObject = ["sub": "248289761001", "email": "jane@example.com", "name": "Jane"]
    #expect(UserIdentity(connect)?.name == "jane@example.com")
    #expect(UserIdentity(["sub": "a"])?.name == nil)
  }

  @Test(
    "A subject that can't be compared or shown is none",
    arguments: [
      [:], ["sub": ""], ["sub": .null], ["sub": true], ["sub": ["a"]],
      ["sub": "a\u{1B}[2J"], ["sub": "a\u{202E}b"],
      ["sub": .string(String(repeating: "a", count: 256))],
    ] as [JSONObject]
  )
  func unusable(object: JSONObject) {
    #expect(UserIdentity(object) == nil)
  }
}
