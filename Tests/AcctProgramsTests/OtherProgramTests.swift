import AcctEngine
import AcctModel
import AcctPorts
import AcctPrograms
import Secrets
import StrictJSON
import Testing

@Suite("Other programs, as the core sees them")
struct OtherProgramTests {
  @Test("A user that is called after a program is one that no login names")
  func unnamedUsers() { #expect(Set(OtherProgram.allCases.map(\.rawValue)) == UnnamedUser.names) }

  @Test("A failure of another program's setup has its words with it, and is told apart from others by them")
  func told() throws {
    let contents = JSON.object(["auths": .object(["registry.example": .object(["auth": .string("dTpw")])])])
    let failure = try #require(OtherProgram.failure(for: .json(contents), at: "config.json"))
    guard case .told(let told) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(told.failure as? MigrationError == .otherFile(.docker, path: "config.json"))
    #expect(told.message.code == "badHandoff" && told.message.status == .badInput)
    #expect(told.message.hint == "`acct add --from docker ./config.json`")
    let other = try #require(OtherProgram.failure(for: .json(contents), at: "other.json"))
    #expect(failure == failure && failure != other)
    #expect(OtherProgram.failure(for: .json(.object([:])), at: "x") == nil)
  }

  @Test(
    "A file of each program that writes no JSON is known by its text",
    arguments: [
      ("https://alice:made-up@git.example\n", OtherProgram.git),
      ("[registry]\ntoken = \"made-up\"\n", .cargo),
      ("machine api.example login alice password made-up\n", .netrc),
    ]
  )
  func texts(_ text: String, _ program: OtherProgram) throws {
    guard case .told(let told)? = OtherProgram.failure(for: .other(Secret(text)), at: "./in") else {
      Issue.record("no failure")
      return
    }
    #expect(told.failure as? MigrationError == .otherFile(program, path: "./in"))
  }
}
