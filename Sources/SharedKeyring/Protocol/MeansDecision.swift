/// The decision which means still open a keyring after a change of its key.
///
/// A member can write the whole list of means before it is removed. So a means stays only for a reason that no other
/// member can make up: the machine that changes the key opens the keyring by it, knows it from an earlier command or has
/// it named now, or a machine that is known so has signed for it.
package struct MeansDecision {
  /// The means by which the machine that changes the key opens the keyring: its own key, a passphrase, a key file.
  package var own: Set<String>
  /// The means that it knows from earlier commands, and those that were named.
  package var known: Set<String>
  /// The means that were named to go.
  package var dropped: Set<String> = []
  /// The means that a change on this machine has dropped before: a signature of that time does not bring them back.
  package var former: Set<String> = []
  /// The identifiers of the machine that is removed.
  package var removed: Set<String> = []
  /// Without it every means stays that the list has: only a test takes the rule out.
  package var asks = true

  package init(own: Set<String>, known: Set<String>, dropped: Set<String> = [], removed: Set<String> = []) {
    self.own = own
    self.known = known
    self.dropped = dropped
    self.removed = removed
  }

  /// A means as the decision sees it.
  package struct Entry: Sendable {
    package var id: String
    /// `false` for a passphrase or a key file.
    package var isMachine: Bool
    /// The machines that have signed for it, with what they said.
    package var signers: [(machine: String, act: Voucher.Act)] = []
    /// The machines that are said to have it, signed or not.
    package var holders: Set<String> = []

    package init(
      id: String,
      isMachine: Bool,
      signers: [(machine: String, act: Voucher.Act)] = [],
      holders: Set<String> = []
    ) {
      self.id = id
      self.isMachine = isMachine
      self.signers = signers
      self.holders = holders
    }
  }

  package enum Fate: Equatable {
    case stays
    case goes
    /// The removed machine has it, or has added it: it would still open the keyring.
    case isKnownToRemoved
    /// There is no reason yet for it to stay.
    case isUnknown
  }

  /// The fate of each means, by identifier.
  package func fates(of entries: [Entry]) -> [String: Fate] {
    let trusted = trusted(entries)
    var fates: [String: Fate] = [:]
    for entry in entries { fates[entry.id] = fate(of: entry, trusted) }
    return fates
  }

  private func fate(of entry: Entry, _ trusted: Set<String>) -> Fate {
    if removed.contains(entry.id) || dropped.contains(entry.id) { return .goes }
    // A machine that adds another one has not seen its key; one that adds a passphrase has that.
    let holders = entry.holders.union(entry.signers.filter { $0.act != .kept }.map(\.machine))
    if !entry.isMachine, !removed.isDisjoint(with: holders) { return .isKnownToRemoved }
    let isVouched =
      !former.contains(entry.id) && entry.signers.contains { trusted.contains($0.machine) && $0.machine != entry.id }
    return own.contains(entry.id) || known.contains(entry.id) || isVouched || !asks ? .stays : .isUnknown
  }

  /// The machines whose signatures count: those that are known here, and those that one of these has let in or kept.
  private func trusted(_ entries: [Entry]) -> Set<String> {
    let machines = entries.filter { $0.isMachine && !removed.contains($0.id) && !dropped.contains($0.id) }
    var trusted = own.union(known).intersection(machines.map(\.id))
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for machine in machines where !trusted.contains(machine.id) && !former.contains(machine.id) {
        guard machine.signers.contains(where: { $0.act != .holds && trusted.contains($0.machine) }) else { continue }
        trusted.insert(machine.id)
        isGrowing = true
      }
    }
    return trusted
  }
}
