import AcctTestSupport
import StrictJSON
import Testing

/// So many accounts that several threads read them.
@Suite("A thousand accounts")
struct ManyAccountsTests {
  private let home: AcctHome

  init() async throws {
    home = try AcctHome()
    let added = try await home.importing(
      """
      {"access_token":"made-up","token_type":"Bearer","handle":"n0.example.com",
       "issuer":"https://issuer.example"}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    let copied = try await ChildProcess("sh", ["-euc", Self.copies, "sh", accounts]).run()
    try #require(copied.status == 0, "\(copied.errorText)")
  }

  private func path(_ number: Int) -> String { "\(accounts)/\(identifier(number)).json" }
  private var accounts: String { "\(home.path)/data/accounts" }

  /// Copies the one account 999 times under names and identifiers of their own.
  private static let copies = #"""
    umask 077
    one=$(ls "$1")
    awk -v one="${one%.json}" -v folder="$1" '{
      for (number = 1; number < 1000; number++) {
        id = sprintf("00000000-0000-4000-8000-%012d", number)
        line = $0
        gsub(one, id, line)
        sub(/"name":"[^"]*"/, "\"name\":\"n" number ".example.com\"", line)
        print line >(folder "/" id ".json")
        close(folder "/" id ".json")
      }
    }' "$1/$one"
    """#

  private func identifier(_ number: Int) -> String {
    let digits = String(number)
    return "00000000-0000-4000-8000-\(String(repeating: "0", count: 12 - digits.count))\(digits)"
  }

  @Test("A thousand accounts are listed by name, each once, by whatever thread they are read")
  func list() async throws {
    let listed = try await home.acct("list", "--json")
    #expect(listed.status == 0)
    #expect(listed.errorText == "")
    let object = try #require(try JSON(parsing: listed.standardOutput).objectValue)
    let accounts = try #require(object["accounts"]?.arrayValue).compactMap(\.objectValue)
    #expect(
      accounts.map { $0["name"]?.stringValue } == (0..<1000).map { "n\($0).example.com" }.sorted()
    )
    #expect(Set(accounts.map { $0["id"]?.stringValue }).count == 1000)
    // What else a listed account says is its own, and the active one is marked.
    #expect(accounts.first?["id"] == object["active"])
    #expect(accounts.map { $0["active"] } == [true] + Array(repeating: false, count: 999))
    #expect(accounts[1...].allSatisfy { $0["handle"] == "n0.example.com" })
    #expect(try await home.acct("list", "--json").standardOutput == listed.standardOutput)
  }

  @Test("Damaged accounts among a thousand are left out of the list and named in order")
  func damaged() async throws {
    let damage = #"""
      printf '{"version":1' >"$1/$2.json"
      rm "$1/$3.json" "$1/$4.json"
      ln -s elsewhere "$1/$3.json"
      """#
    let numbers = [999, 500, 7]
    let done = try await ChildProcess("sh", ["-euc", damage, "sh", accounts] + numbers.map(identifier)).run()
    try #require(done.status == 0, "\(done.errorText)")
    for arguments in [["list", "--json"], ["list"]] {
      let listed = try await home.command(arguments).run()
      #expect(listed.status == 0)
      #expect(
        listed.errorText
          == "acct: the file of account \(identifier(500)) is not used: \(path(500)): it is a symbolic link; skipped\n"
          + "acct: the file of account \(identifier(999)) is damaged: \(path(999)); skipped\n"
      )
      for number in 0..<1000 where number % 100 == 99 || numbers.contains(number) {
        #expect(listed.text.contains("n\(number).example.com") == !numbers.contains(number))
      }
    }
  }

  @Test("Each of a thousand accounts is found by its name, and an unknown name finds none")
  func names() async throws {
    for number in [1, 500, 999] {
      let told = try await home.acct("limits", "-a", "n\(number).example.com", "--json")
      #expect(told.status == 0)
      #expect(told.text.contains(identifier(number)))
    }
    #expect(try await home.acct("limits", "-a", "n1000.example.com").status == 5)
  }

  @Test("A thousand accounts are not listed if the system fails to read one")
  func unreadable() async throws {
    // More than a file of an account may have.
    let large = try await ChildProcess("truncate", ["--size=2M", "\(accounts)/\(identifier(300)).json"]).run()
    try #require(large.status == 0, "\(large.errorText)")
    let listed = try await home.acct("list")
    #expect(listed.status == 1)
    #expect(listed.text == "")
    #expect(listed.errorText.contains("\(identifier(300)).json: file too large"))
  }
}
