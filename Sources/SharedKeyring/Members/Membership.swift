import AcctModel
import AcctPorts
import FleetPorts

/// Who shares a keyring and what opens it, as one look at the engine tells.
struct Membership {
  let roster: Roster
  /// The machines without keys of their own.
  let others: [Writer]
  let writers: [String: Writes]
  /// The keyring's identifier.
  let keyring: [UInt8]
  /// The identifier of this machine.
  let machine: String?
  /// The means by which this machine opens the keyring.
  let own: Set<String>
  let known: KnownMeans
  /// The name of each machine and each means, by identifier.
  private let names: [String: String]

  init(
    _ roster: Roster,
    _ writers: [String: Writes],
    keyring: [UInt8],
    machine: String?,
    own: Set<String>,
    known: KnownMeans
  ) {
    self.roster = roster
    self.writers = writers
    self.keyring = keyring
    self.machine = machine
    self.own = own
    self.known = known
    others = roster.others(writers)
    var named = roster.machines.map { ($0.id, $0.name) } + others.map { ($0.id, $0.name) }
    for means in [Means.passphrase, .keyFile] {
      let shared = roster.shared.filter { $0.means == means }
      for (number, entry) in shared.enumerated() { named.append((entry.id, "\(means.rawValue)-\(number + 1)")) }
    }
    names = distinctNames(named.map { (id: $0.0, name: $0.1) })
  }

  /// The name of a machine or a means; its identifier if it has none.
  func name(of id: String) -> String { names[id] ?? id }

  /// The means as a decision sees them.
  var entries: [MeansDecision.Entry] {
    func signers(_ entry: some Vouched) -> [(machine: String, act: Voucher.Act)] {
      roster.valid(entry, in: keyring).map { ($0.machine, $0.act) }
    }
    let shared = roster.shared.map { entry in
      let users = writers.filter { $0.value.has(entry) }.keys
      return MeansDecision.Entry(
        id: entry.id,
        isMachine: false,
        signers: signers(entry),
        holders: Set(entry.holders).union(users)
      )
    }
    let machines = roster.machines.map { entry in
      MeansDecision.Entry(id: entry.id, isMachine: true, signers: signers(entry))
    }
    return shared + machines
  }

  /// All that opens the keyring; what a header opens to, and the list does not have, is among it.
  func means(in header: KeyringHeader? = nil) -> [SharedMeans] {
    var decision = MeansDecision(own: own, known: known.ids)
    decision.former = known.dropped
    let fates = decision.fates(of: entries)
    var means = roster.machines.map { self.means(of: $0, .machine, fates[$0.id]) }
    for index in means.indices {
      means[index].since = roster.machines[index].since
      means[index].lastUsed = writers[means[index].id]?.last.at
    }
    for entry in roster.shared {
      var one = self.means(of: entry, entry.means == .keyFile ? .keyFile : .passphrase, fates[entry.id])
      one.since = entry.since
      one.lastUsed = writers.values.compactMap { $0.lastUse(of: entry, in: roster) }.max()
      one.knownHolders = entry.holders.map(name).sorted()
      means.append(one)
    }
    let listed = Set(means.map(\.id))
    for recipient in header?.recipients ?? [] where !listed.contains(recipient.line.id) {
      let kind: SharedMachine.Recipient =
        switch recipient.kind {
        case .passphrase: .passphrase
        case .keyFile: .keyFile
        case .machine: .machine
        }
      let id = recipient.line.id
      guard !means.contains(where: { $0.id == id }) else { continue }
      means.append(SharedMeans(id: id, kind: kind, name: "unlisted", isListed: false))
    }
    return means
  }

  private func means(
    of entry: some Vouched,
    _ kind: SharedMachine.Recipient,
    _ fate: MeansDecision.Fate?
  ) -> SharedMeans {
    let vouchers = roster.valid(entry, in: keyring)
    return SharedMeans(
      id: entry.id,
      kind: kind,
      name: name(of: entry.id),
      addedBy: vouchers.first { $0.act == .added }.map { name(of: $0.machine) },
      keptBy: vouchers.filter { $0.act == .kept }.map { name(of: $0.machine) },
      isOwn: own.contains(entry.id),
      isKnown: fate == .stays
    )
  }

  /// The machines, those with keys of their own first.
  var machines: [SharedMachine] {
    let members = roster.machines.map { member in
      SharedMachine(
        id: member.id,
        name: name(of: member.id),
        version: writers[member.id]?.last.version ?? member.version,
        recipient: .machine,
        since: member.since,
        lastSeen: writers[member.id]?.last.at,
        isThis: member.id == machine,
        keyPlace: member.keyPlace
      )
    }
    return members
      + others.map { writer in
        SharedMachine(
          id: writer.id,
          name: name(of: writer.id),
          version: writer.version,
          recipient: writer.means == .keyFile ? .keyFile : .passphrase,
          since: roster.joined[writer.id] ?? writers[writer.id]?.firstAt,
          lastSeen: writer.at,
          isThis: writer.id == machine
        )
      }
  }
}

/// The look-up of what a person has named.
extension Membership {
  /// The identifier of a machine that is named for its removal; `nil` if no machine is called so.
  ///
  /// - Throws: ``SharedMembershipFailure/ambiguous(_:_:)``.
  func machine(named text: String) throws(SharedMembershipFailure) -> String? {
    let machines = roster.machines.map { ($0.id, $0.name, SharedMachine.Recipient.machine) }
    let others = others.map { ($0.id, $0.name, $0.means == .keyFile ? .keyFile : SharedMachine.Recipient.passphrase) }
    return try find(text, in: machines + others)
  }

  /// The identifiers of means that are named.
  ///
  /// - Throws: ``SharedMembershipFailure/noSuchMeans(_:)``, ``SharedMembershipFailure/ambiguous(_:_:)``.
  func means(named texts: [String]) throws(SharedMembershipFailure) -> Set<String> {
    var found: Set<String> = []
    let machines = roster.machines.map { ($0.id, $0.name, SharedMachine.Recipient.machine) }
    let shared = roster.shared.map { entry in
      (entry.id, name(of: entry.id), entry.means == .keyFile ? .keyFile : SharedMachine.Recipient.passphrase)
    }
    for text in texts {
      guard let id = try find(text, in: machines + shared) else { throw .noSuchMeans(text) }
      found.insert(id)
    }
    return found
  }

  /// The entry with an identifier, else the only one that a name may mean: one that looks like another's, or that this
  /// machine knows by another name, is not taken for it.
  private func find(
    _ text: String,
    in entries: [(id: String, name: String, kind: SharedMachine.Recipient)]
  ) throws(SharedMembershipFailure) -> String? {
    if let entry = entries.first(where: { $0.id == text }) { return entry.id }
    let wanted = NameSkeleton(text)
    func names(_ entry: (id: String, name: String, kind: SharedMachine.Recipient)) -> Set<NameSkeleton> {
      let before = known.names[entry.id].flatMap { $0.isEmpty ? nil : NameSkeleton($0) }
      return Set([NameSkeleton(entry.name), NameSkeleton(name(of: entry.id)), before].compactMap(\.self))
    }
    let found = entries.filter { names($0).contains(wanted) }
    guard let first = found.first else { return nil }
    guard found.count == 1, names(first) == [wanted] else {
      let alike = found.reduce(into: Set<NameSkeleton>()) { $0.formUnion(names($1)) }
      let all = entries.filter { !names($0).isDisjoint(with: alike) }
      throw .ambiguous(text, all.map { SharedMeans(id: $0.id, kind: $0.kind, name: name(of: $0.id)) })
    }
    return first.id
  }
}

extension Roster {
  /// The machines without keys of their own, in an order that stays as long as none is new.
  ///
  /// Those that were removed are left out, unless they have written since: the new passphrase or key file may have
  /// come to them.
  fileprivate func others(_ writers: [String: Writes]) -> [Writer] {
    let gone = removed.filter { removed in writers[removed.id].map { $0.last.at <= removed.at } ?? true }
    let known = Set(machines.flatMap { [$0.id, $0.formerly] } + gone.map(\.id))
    let means = shared.map(\.means)
    return writers.values.map(\.last)
      .filter { !known.contains($0.id) && means.contains($0.means) }
      .sorted { $0.id < $1.id }
  }
}

/// The writes of a machine, as the accounts' objects tell.
struct Writes {
  private(set) var last: Writer
  private var all: [Writer]

  init(_ write: Writer) { (last, all) = (write, [write]) }

  /// The earliest write that the objects still tell of, in seconds since 1970.
  fileprivate var firstAt: Int64? { all.map(\.at).min() }

  mutating func add(_ write: Writer) {
    all.append(write)
    if write.at >= last.at { last = write }
  }

  /// `true` if the machine has opened the keyring by a passphrase or a key file, now or before.
  ///
  /// A write that does not say by which one may have been by any of its kind.
  fileprivate func has(_ entry: Roster.Shared) -> Bool {
    all.contains { $0.means == entry.means && ($0.recipient ?? entry.id) == entry.id }
  }

  /// The last write by a passphrase or a key file; one that does not say by which counts if there is one of its kind.
  fileprivate func lastUse(of entry: Roster.Shared, in roster: Roster) -> Int64? {
    let isOnly = roster.shared.count { $0.means == entry.means } == 1
    return all.filter { $0.means == entry.means && ($0.recipient == entry.id || ($0.recipient == nil && isOnly)) }
      .map(\.at).max()
  }
}
