import AcctModel
import Testing

@Suite("Handles and DIDs")
struct IdentifierTests {
  @Test("Every valid handle of the AT Protocol is accepted, in lower case")
  func validHandles() throws {
    let lines = try vectorLines("handle_syntax_valid.txt")
    #expect(lines.count == 71)
    for line in lines { #expect(try Handle(line).description == line.lowercased()) }
  }

  @Test("Every invalid handle of the AT Protocol is rejected")
  func invalidHandles() throws {
    let lines = try vectorLines("handle_syntax_invalid.txt")
    #expect(lines.count == 48)
    for line in lines { #expect(throws: ParseError.handle(line)) { try Handle(line) } }
  }

  @Test("Every valid DID of the AT Protocol is accepted unchanged")
  func validDIDs() throws {
    let lines = try vectorLines("did_syntax_valid.txt")
    #expect(lines.count == 24)
    for line in lines { #expect(try DID(line).description == line) }
  }

  @Test("Every invalid DID of the AT Protocol is rejected")
  func invalidDIDs() throws {
    let lines = try vectorLines("did_syntax_invalid.txt")
    #expect(lines.count == 18)
    for line in lines { #expect(throws: ParseError.did(line)) { try DID(line) } }
  }

  @Test("A DID has its method, its identifier and the host that it names")
  func didParts() throws {
    let plc = try DID("did:plc:7iza6de2dwap2sbkpav7c6c6")
    #expect(plc.method == "plc")
    #expect(plc.identifier == "7iza6de2dwap2sbkpav7c6c6")
    #expect(plc.webOrigin == nil)
    #expect(try DID("did:web:example.com").webOrigin == Origin("https://example.com"))
    #expect(try DID("did:web:localhost%3A1234").webOrigin == Origin("http://localhost:1234"))
    #expect(try DID("did:web:example.com:user").webOrigin == nil)
  }

  @Test("Reserved top-level names are not resolvable, except .test")
  func resolvable() throws {
    for name in ["a.local", "a.arpa", "a.example", "a.invalid", "a.onion", "a.internal"] {
      #expect(try !Handle(name).isResolvable)
    }
    for name in ["a.test", "a.bsky.social", "local.example.com"] {
      #expect(try Handle(name).isResolvable)
    }
  }
}

@Suite("Account identifiers and names")
struct AccountTests {
  @Test("A random account identifier is a version-4 UUID")
  func random() throws {
    let ones = AccountID(random: InlineArray(repeating: 0xFF))
    #expect(ones.description == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    let zeros = AccountID(random: InlineArray(repeating: 0))
    #expect(zeros.description == "00000000-0000-4000-8000-000000000000")
    #expect(try AccountID(zeros.description) == zeros)
  }

  @Test("An account identifier in upper case is lowered")
  func lowers() throws {
    let id = try AccountID("ABCDEF01-2345-4678-9ABC-DEF012345678")
    #expect(id.description == "abcdef01-2345-4678-9abc-def012345678")
  }

  @Test(
    "An account identifier that is not a version-4 UUID is rejected",
    arguments: [
      "", "abcdef01", "abcdef01-2345-1678-9abc-def012345678",
      "abcdef01-2345-4678-cabc-def012345678", "abcdef01-2345-4678-9abc-def01234567g",
      "abcdef0102345-4678-9abc-def012345678", "abcdef01-2345-4678-9abc-def0123456789",
      "../../../../../../../../etc/passwdxx", "abcdef01-2345-4678-9abc-def01234567\u{661}",
    ]
  )
  func refusesIDs(text: String) {
    #expect(throws: ParseError.accountID(text)) { try AccountID(text) }
  }

  @Test(
    "An account name may be what a person would type",
    arguments: ["work", "alice.bsky.social", "guest@host", "søster", "a", "名前", "a-b", "did:plc:x"]
  )
  func names(text: String) throws {
    #expect(try AccountName(text).description == text)
  }

  @Test(
    "An account name is no option and has no white space, control or invisible characters",
    arguments: [
      "", "-", "-a", "a b", "a\tb", "a\nb", "a\u{1B}[31m", "a\u{202E}b", "a\u{200B}b",
      "a\u{A0}b", "a\u{2028}b", "\u{7F}", "a\u{E000}", String(repeating: "a", count: 254),
    ]
  )
  func refusesNames(text: String) {
    #expect(throws: ParseError.accountName(text)) { try AccountName(text) }
  }
}
