import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctRequests

extension Doctor {
  /// Reports the kernel's means of protecting a proxy, which runs for days.
  func proxy() -> [Finding] {
    guard let measures = context.world.confinement.available() else { return [] }
    let memory =
      measures.secretMemory
      ? "`acct proxy` keeps its secrets in memory that no other process can read (memfd_secret)"
      : "this system has no memfd_secret: root can read the secrets of a running `acct proxy`"
    let fence =
      measures.fence.map { "`acct proxy` can't open files that it has no use for (landlock \($0))" }
      ?? "this system has no landlock: `acct proxy` can open all your files"
    let findings = [Finding(.ok, "proxyMemory", memory), Finding(.ok, "proxyFence", fence)]
    let accounts = (try? accountStore.listing().accounts) ?? []
    guard measures.fence != nil, let obstacle = ProxyFence(for: accounts, context).obstacle else { return findings }
    let message = "`acct proxy` for these accounts can open all your files: \(words(for: obstacle))"
    return findings + [Finding(.ok, "proxyUnfenced", message)]
  }
}
