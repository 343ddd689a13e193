package import AcctModel
package import AcctPorts

extension Account {
  /// The first required item that is missing.
  ///
  /// An account that is known to be signed out lacks nothing.
  package func missingItem(among kinds: Set<ItemKind>) -> ItemKind? {
    guard recordedState.state == .valid else { return nil }
    var needed = [kind.tokenItem]
    if tokenType == .dpop { needed.append(.keypair) }
    if client.certificate != nil { needed += [.certificate, .certificateKey] }
    if kind == .oauth && tokenLifetime.canRenew {
      needed += client.itemKinds + (client.grant.renewsItself ? [] : [.refreshToken])
    }
    return needed.first { !kinds.contains($0) }
  }
}
