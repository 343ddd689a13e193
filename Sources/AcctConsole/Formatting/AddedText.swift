import AcctPorts
package import AcctEngine
package import AcctModel

extension AddAccount.Added {
  /// The words for the change, with the account.
  package var words: String {
    let name = account.name
    let tokens = account.kind == .oauth ? "tokens" : "token"
    return switch change {
    case .added: "added \(name)"
    case .renewed: "renewed \(name)"
    case .replaced: "replaced the \(tokens) of \(name)"
    case .unchanged: "\(name) has the same \(tokens) already"
    }
  }
}

extension Context {
  /// Says that a token that can't be renewed was of no use when it was added.
  package func noticeIfExpired(_ account: Account) {
    guard account.kind == .static || account.kind == .oauth, !account.canRenew,
      account.lastKnownState(at: world.clock.now()).state == .expired
    else { return }
    let reason = account.kind == .static ? ", as its exp says" : ""
    notice("the token of \(account.name) has expired already\(reason)")
  }
}
