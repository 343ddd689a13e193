import AcctPorts
import AcctTestSupport
import Testing

@Suite("What completion asks") struct CompleteTests {
  @Test("completion names accounts and their servers, and asks no keyring and nobody")
  func accounts() async {
    let recorded = RecordedWorld()
    #expect(await recorded.add(Handoffs.dpop(), "--name", "alice") == 0)
    #expect(await recorded.add(Handoffs.bearer(), "--name", "bob") == 0)
    recorded.keyring.fail(with: .unavailable(reason: "a test said so"))
    #expect(await recorded.acct("complete", "accounts") == 0)
    #expect(recorded.out == "alice\tpds.example\nbob\tissuer.example\n")
  }

  @Test("completion names the origins of the account that the line is about")
  func origins() async {
    let recorded = RecordedWorld()
    #expect(await recorded.add(Handoffs.dpop(), "--name", "alice") == 0)
    #expect(await recorded.add(Handoffs.bearer(), "--name", "bob") == 0)
    #expect(await recorded.acct("complete", "origins") == 0)
    #expect(recorded.out == "https://issuer.example\n")
    #expect(await recorded.acct("complete", "origins", "--account=alice") == 0)
    #expect(recorded.out == "https://pds.example\n")
  }

  @Test("completion is for shells: no help mentions it")
  func hidden() async {
    let recorded = RecordedWorld()
    #expect(await recorded.acct("--help") == 0)
    #expect(!recorded.out.contains("complete"))
  }
}
