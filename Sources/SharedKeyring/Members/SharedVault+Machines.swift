import AcctCrypto
import AcctModel
import AcctPorts

extension SharedVault {
  /// The machines that share the keyring, and all that opens it.
  func members(_ interaction: Interaction) throws(SharedMembershipFailure) -> SharedMembers {
    let session = try joined()
    let (opened, _) = try latest(session, interaction)
    guard let header = opened.header else { throw .formerForm }
    return try whole { () throws(KeyringFailure) in
      let roster = try opened.roster()
      let own = try ownMeans(opened, roster)
      let members = try membership(of: roster.asSet(in: header.keyring, openedBy: own.shared), own, opened, session)
      return SharedMembers(
        machines: members.machines,
        means: members.means(in: header),
        doubles: members.roster.doubles + header.doubles
      )
    }
  }

  /// Who shares the keyring by a list, and what they have written.
  func membership(
    of roster: Roster,
    _ own: OwnMeans,
    _ opened: EpochKeys.Opened,
    _ session: Session
  ) throws(KeyringFailure) -> Membership {
    Membership(
      roster,
      opened.header == nil ? [:] : try writers(opened, session),
      keyring: opened.header?.keyring ?? [],
      machine: try identity()?.id,
      own: own.ids,
      known: try copies.knownMeans()
    )
  }

  /// What each machine has written, by identifier.
  private func writers(_ opened: EpochKeys.Opened, _ session: Session) throws(KeyringFailure) -> [String: Writes] {
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    let seal = seal(opened, session, .forbidden)
    var writers: [String: Writes] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal),
        let contents = try seal.objectIfWhole(object.bytes, of: id, at: object.key)
      else { continue }
      for write in Writer.parse(contents.writers) ?? [] {
        if writers[write.id] == nil { writers[write.id] = Writes(write) } else { writers[write.id]?.add(write) }
      }
    }
    return writers
  }

  /// The means by which this machine opens a keyring.
  struct OwnMeans {
    /// Its own key, if the list has it.
    var machine: String?
    /// The passphrase or the key file.
    var shared: String?
    var ids: Set<String> { Set([machine, shared].compactMap(\.self)) }
  }

  /// Finds the means by which this machine opens the keyring.
  ///
  /// - Parameters:
  ///   - opened: The keyring.
  ///   - roster: Its list.
  ///   - asksScrypt: `true` to find out which of several passphrases the given one is, which takes a third of a second
  ///     for each.
  /// - Returns: Its own key, and the passphrase or key file.
  /// - Throws: ``KeyringFailure`` if a file can't be read.
  func ownMeans(
    _ opened: EpochKeys.Opened,
    _ roster: Roster?,
    asksScrypt: Bool = false
  ) throws(KeyringFailure) -> OwnMeans {
    var own = OwnMeans()
    guard let header = opened.header else {
      // The former form has one means, by which it was opened.
      own.shared = roster?.shared.first?.id
      return own
    }
    if opened.means == .machine, let id = try identity()?.id, roster?.machines.contains(where: { $0.id == id }) == true
    {
      own.machine = id
    }
    if let recipient = opened.recipient {
      own.shared = recipient
    } else {
      let known = try copies.knownMeans().ids
      own.shared = try opener.sharedMeans(of: header, opened.means, known: known, asksScrypt: asksScrypt)
    }
    return own
  }
}
