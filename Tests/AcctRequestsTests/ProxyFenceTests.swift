import AcctConsole
import AcctEngine
import AcctPorts
import AcctRequests
import AcctTestSupport
import Testing

@Suite("The doctor's check of the proxy")
struct ProxyFenceTests {
  private let record = RecordedWorld()

  /// The codes of the findings, and their messages.
  private func findings(_ measures: Confinement.Measures?) -> (codes: [String], messages: [String]) {
    var world = record.world()
    world.confinement.available = { measures }
    let findings = ProxyFence.findings(in: EngineContext(world, .forbidden, timeout: 10, report: { _ in }))
    #expect(findings.allSatisfy { $0.severity == .ok })
    return (findings.map(\.code), findings.map(\.message))
  }

  @Test("The doctor tells what the kernel has for a proxy, and nothing where it can't be asked")
  func measures() {
    let both = findings(Confinement.Measures(secretMemory: true, fence: 4))
    #expect(both.codes == ["proxyMemory", "proxyFence"])
    #expect(both.messages[0].hasPrefix("`acct proxy` keeps its secrets in memory that no other process can read"))
    #expect(both.messages[1] == "`acct proxy` can't open files that it has no use for (landlock 4)")
    let neither = findings(Confinement.Measures(secretMemory: false, fence: nil))
    #expect(neither.messages[0].hasPrefix("this system has no memfd_secret"))
    #expect(neither.messages[1] == "this system has no landlock: `acct proxy` can open all your files")
    #expect(findings(nil).codes.isEmpty)
  }

  @Test("The doctor tells why a proxy has no fence although the kernel has one", arguments: [nil, 4])
  func unfenced(fence: Int?) {
    record.set("ACCT_KEYRING", to: "etcd")
    let found = findings(Confinement.Measures(secretMemory: true, fence: fence))
    guard fence != nil else {
      #expect(found.codes == ["proxyMemory", "proxyFence"])
      return
    }
    #expect(found.codes == ["proxyMemory", "proxyFence", "proxyUnfenced"])
    let reason = "the engine of the shared keyring is reached by a library that reads files of its own"
    #expect(found.messages[2] == "`acct proxy` for these accounts can open all your files: \(reason)")
  }
}
