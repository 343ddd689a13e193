import SharedKeyring

/// A machine is removed from a shared keyring while it writes the list of what opens it, in every order of the steps.
///
/// What stays is decided by the function that acct itself decides by.
struct MeansModel: Hashable {
  /// A key that opens the keyring.
  enum Key: String, CaseIterable {
    /// Honest: the machine that removes, one that it has let in, and the key file of both.
    case here, friend, keyFile
    /// The machine that is removed, and keys that it alone has.
    case lost, guest, plantedFile, plantedPassphrase

    var isHonest: Bool { [.here, .friend, .keyFile].contains(self) }
    var isMachine: Bool { [.here, .friend, .lost, .guest].contains(self) }
  }

  struct Signature: Hashable {
    var key: Key
    var act: Voucher.Act
  }

  struct Entry: Hashable {
    var key: Key
    var signatures: Set<Signature> = []
    /// Machines that are said to have it, without a signature.
    var holders: Set<Key> = []
  }

  /// What the removing machine is at.
  enum Phase: Hashable {
    case reads
    /// It has read the list, and changes it if no one has changed it since.
    case swaps([Entry])
    case done, asksInVain
  }

  var list: [Entry]
  var phase = Phase.reads
  /// `true` if the list has changed since it was read.
  var isStale = false
  var writesLeft: Int

  init(_ rules: MeansRules) {
    let friend = Entry(key: .friend, signatures: [Signature(key: .here, act: .added)])
    let lost = Entry(key: .lost, signatures: [Signature(key: rules.letIn, act: .added)])
    list = [Entry(key: .keyFile, holders: [.here, .friend]), friend, lost]
    if rules.hasOwnKey { list.append(Entry(key: .here)) }
    writesLeft = rules.writes
  }
}

/// What is true in a run of the model, and which rules hold in it.
struct MeansRules: CustomStringConvertible, Sendable {
  var writes = 3
  /// The machine that has let the lost one in.
  var letIn = MeansModel.Key.here
  var hasOwnKey = false
  /// `true` if a person answers, who knows the honest keys.
  var asksPerson = true
  // The rules.
  var asks = true
  /// Without it a signature of any machine counts.
  var trustsKnownAlone = true
  /// Without it a holder counts without a signature.
  var asksSignatures = true
  /// Without it one entry of the removed machine goes, not all.
  var readsAsSet = true

  var description: String {
    "\(writes) writes, let in by \(letIn), \(hasOwnKey ? "a key of its own" : "the key file"), "
      + (asksPerson ? "a person answers" : "no person is asked")
  }
}

extension MeansModel {
  /// The states that follow, each with a sentence.
  func next(_ rules: MeansRules) -> [(step: String, state: MeansModel)] { remover(rules) + member() }

  private func remover(_ rules: MeansRules) -> [(step: String, state: MeansModel)] {
    var after = self
    switch phase {
    case .reads:
      (after.phase, after.isStale) = (.swaps(list), false)
      return [("the remover reads the list", after)]
    case .swaps(let read):
      guard !isStale else {
        after.phase = .reads
        return [("the remover finds the list changed", after)]
      }
      guard let left = carriedOver(read, rules) else {
        after.phase = .asksInVain
        return [("the remover ends, and names what it does not know", after)]
      }
      (after.list, after.phase) = (left, .done)
      return [("the remover changes the key for \(left.map(\.key.rawValue).joined(separator: ", "))", after)]
    case .done, .asksInVain: return []
    }
  }

  /// What opens the keyring after the change; `nil` if there is something to ask about, and no one answers.
  private func carriedOver(_ list: [Entry], _ rules: MeansRules) -> [Entry]? {
    var list = list
    if !rules.readsAsSet, let first = list.firstIndex(where: { $0.key == .lost }) { list.remove(at: first) }
    let entries = list.map { entry in
      var signers = entry.signatures.map { (machine: $0.key.rawValue, act: $0.act) }
      if !rules.asksSignatures { signers += entry.holders.map { (machine: $0.rawValue, act: .holds) } }
      return MeansDecision.Entry(
        id: entry.key.rawValue,
        isMachine: entry.key.isMachine,
        signers: signers,
        holders: Set(entry.holders.map(\.rawValue))
      )
    }
    var known: Set<String> = [Key.friend.rawValue]
    if !rules.trustsKnownAlone { known.formUnion(list.map(\.key).filter(\.isMachine).map(\.rawValue)) }
    let removed: Set<String> = rules.readsAsSet ? [Key.lost.rawValue] : []
    let own = rules.hasOwnKey ? Key.here : .keyFile
    var decision = MeansDecision(own: [own.rawValue], known: known, removed: removed)
    decision.asks = rules.asks
    var fates = decision.fates(of: entries)
    if fates.values.contains(.isUnknown) || fates.values.contains(.isKnownToRemoved) {
      guard rules.asksPerson else { return nil }
      let named = list.map(\.key).filter { fates[$0.rawValue] != .stays && fates[$0.rawValue] != .goes }
      decision.known.formUnion(named.filter(\.isHonest).map(\.rawValue))
      decision.dropped = Set(named.filter { !$0.isHonest }.map(\.rawValue))
      fates = decision.fates(of: entries)
      // A secret that the lost machine is said to have: the person takes another one in its place.
      for key in named where fates[key.rawValue] == .isKnownToRemoved { fates[key.rawValue] = .goes }
    }
    return list.filter { fates[$0.key.rawValue] == .stays }
  }

  /// Everything that the lost machine can write.
  private func member() -> [(step: String, state: MeansModel)] {
    guard writesLeft > 0, phase != .done, phase != .asksInVain else { return [] }
    var next: [(step: String, state: MeansModel)] = []
    func write(_ step: String, _ change: (inout [Entry]) -> Void) {
      var after = self
      change(&after.list)
      guard after.list != list else { return }
      (after.isStale, after.writesLeft) = (true, writesLeft - 1)
      next.append(("the lost machine \(step)", after))
    }
    for key in [Key.plantedFile, .plantedPassphrase, .guest] where !list.contains(where: { $0.key == key }) {
      write("plants \(key)") { $0.append(Entry(key: key)) }
    }
    write("lists itself once more") { $0.append(Entry(key: .lost, holders: [.here])) }
    for (index, entry) in list.enumerated() {
      for signer in [Key.lost, .guest] {
        for act in [Voucher.Act.added, .kept, .holds] {
          write("signs for \(entry.key) as \(signer): \(act)") {
            $0[index].signatures.insert(Signature(key: signer, act: act))
          }
        }
      }
      for holder in [Key.here, .friend, .lost] {
        write("says that \(holder) has \(entry.key)") { $0[index].holders.insert(holder) }
      }
      if !entry.signatures.isEmpty { write("strips \(entry.key)") { $0[index].signatures = [] } }
    }
    return next
  }

  /// `true` if a key that only the lost machine has opens the keyring after the change.
  var isBroken: Bool { phase == .done && list.contains { !$0.key.isHonest } }

  /// `true` if the remover has lost its own way in, or one that it knows.
  func hasLost(_ rules: MeansRules) -> Bool {
    guard phase == .done else { return false }
    let keys = list.map(\.key)
    return !keys.contains(.friend) || (rules.hasOwnKey && !keys.contains(.here))
  }
}
