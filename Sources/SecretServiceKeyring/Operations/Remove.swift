import AcctModel
import AcctPorts
import Secrets
import SessionBus

extension ServiceOperation {
  /// Deletes acct's items in every collection; a missing one is no error.
  ///
  /// A copy in a locked collection beside the default one can't be deleted unless it is opened. It counts for nothing
  /// from then on: an item that says so takes precedence over it. An account that is removed whole needs none.
  ///
  /// - Throws: `KeyringFailure`, and `locked` before anything is deleted if the default collection is; the failure of
  ///   such a copy of an account that is removed whole, after the others were deleted.
  func remove(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) {
    guard !kinds.isEmpty else { return }
    let isWhole = ItemKind.allCases.allSatisfy(kinds.contains)
    let (session, found) = try locateToRemove(account, kinds, isWhole: isWhole)
    let unlocked = zip(kinds, found).flatMap { kind, found in
      found.unlocked.map { FoundItem(path: $0, kind: kind) }
    }
    let (own, unseen) = try verify(unlocked, of: account)
    let left = zip(kinds, found).filter { !$1.locked.isEmpty }
    if !isWhole {
      // First: without it, the locked copy would be the newest one.
      for (kind, found) in left {
        let copies = own.filter { $0.kind == kind }.map(\.precedence) + [try precedence(ofLocked: found.locked)]
        let removal = Precedence(after: copies, isRemoval: true)
        _ = try create(account, Keyring.Item(kind, Secret("removed")), removal, in: openDefaultCollection(), session)
      }
    }
    try delete(own.map(\.path), account, kinds)
    // An item that did not show its attributes has been removed meanwhile, or is still there.
    if !unseen.isEmpty, try !areGone(unseen.map(\.path), account, kinds) { throw .malformedAnswer(to: "Attributes") }
    if isWhole, !left.isEmpty { throw try failure(ofLocked: left.flatMap(\.1.locked), else: .locked()) }
  }

  /// Opens a session and finds an account's items; those that stay locked are not in the default collection.
  ///
  /// A person is asked to open another collection only for an account that is removed whole.
  private func locateToRemove(
    _ account: AccountID,
    _ kinds: [ItemKind],
    isWhole: Bool
  ) throws(KeyringFailure) -> (session: String, found: [Found]) {
    try openWhatHides()
    let collection = try defaultCollection()
    var (session, found) = try search(account, kinds)
    let locked = found.flatMap(\.locked)
    var inside = locked.filter { isInside($0, collection) }
    if locked.isEmpty, found.contains(where: \.isEmpty), let hiding = try hidingCollection() { inside = [hiding] }
    if !inside.isEmpty {
      try unlock(inside)
    } else if isWhole, !locked.isEmpty, prompter == nil {
      throw lacking(.wantsPerson)
    } else if isWhole, !locked.isEmpty, isAsking {
      // It stays locked without an answer, too.
      do { try unlock(locked) } catch .locked {} catch .timedOut {}
    } else {
      return (session, found)
    }
    (session, found) = try search(account, kinds)
    guard !found.contains(where: { $0.locked.contains { isInside($0, collection) } }) else { throw .dismissed }
    return (session, found)
  }

  private func delete(_ paths: [String], _ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) {
    do {
      for path in paths { _ = try settle(try connection.ask(ServiceCalls.delete(path))) }
    } catch .failed(let reason) {
      // Another process may have been faster.
      guard try areGone(paths, account, kinds) else { throw .failed(reason: reason) }
    }
    // A prompt can be dismissed without an error.
    if isAsking, !paths.isEmpty, try !areGone(paths, account, kinds) { throw .dismissed }
  }

  private func areGone(_ paths: [String], _ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> Bool {
    let searches = kinds.map { kind in ServiceCalls.search(Schema.identity(account, kind)) }
    return try connection.ask(searches).allSatisfy { found in
      !(found.unlocked + found.locked).contains(where: paths.contains)
    }
  }
}
