import AcctPorts
import AcctTestSupport
import Testing

@Suite("Completion of accounts and origins") struct CompleteTests {
  @Test("Completion lists accounts and their servers without the keyring and without a request")
  func accounts() async {
    let recorded = RecordedWorld()
    #expect(await recorded.add(Handoffs.dpop(), "--name", "alice") == 0)
    #expect(await recorded.add(Handoffs.bearer(), "--name", "bob") == 0)
    recorded.keyring.fail(with: .unavailable(reason: "a test said so"))
    #expect(await recorded.acct("complete", "accounts") == 0)
    #expect(recorded.out == "alice\tpds.example\nbob\tissuer.example\n")
  }

  @Test("Completion lists the origins of the account on the command line")
  func origins() async {
    let recorded = RecordedWorld()
    #expect(await recorded.add(Handoffs.dpop(), "--name", "alice") == 0)
    #expect(await recorded.add(Handoffs.bearer(), "--name", "bob") == 0)
    #expect(await recorded.acct("complete", "origins") == 0)
    #expect(recorded.out == "https://issuer.example\n")
    #expect(await recorded.acct("complete", "origins", "--account=alice") == 0)
    #expect(recorded.out == "https://pds.example\n")
  }

  @Test("The completion command is for shells, so no help mentions it")
  func hidden() async {
    let recorded = RecordedWorld()
    #expect(await recorded.acct("--help") == 0)
    #expect(!recorded.out.contains("complete"))
  }
}
