import AcctCrypto
import AcctModel
import AcctPorts
import Vault

/// The members of a keyring, and the header that names them.
extension SharedVault {
  var membership: SharedMembership {
    SharedMembership(
      means: { settings throws(SharedMembershipFailure) in try self.means(settings) },
      request: { settings, tpm, interaction, announce async throws(SharedMembershipFailure) in
        try await self.request(settings, keyIn: tpm, interaction, announce)
      },
      approve: { code, interaction throws(SharedMembershipFailure) in try self.approve(code, interaction) },
      members: { interaction throws(SharedMembershipFailure) in try self.members(interaction) },
      rekey: { change, interaction throws(SharedMembershipFailure) in try self.rekey(change, interaction) },
      ownItem: { (try? self.identity())?.key?.item }
    )
  }

  /// Puts a header in the place of the one that it was made from, and keeps it.
  ///
  /// - Returns: `false` if the engine has another one by now.
  func replace(
    _ header: KeyringHeader,
    _ version: Int64,
    _ former: EpochKeys.Opened,
    as key: EpochKey? = nil,
    _ session: Session
  ) throws(SharedMembershipFailure) -> Bool {
    let contents = header.serialized()
    return try whole { () throws(KeyringFailure) in
      // One that no machine could read would end the keyring.
      guard try parse(contents) == .epochs(header), header.roster(key ?? former.current) != nil else {
        throw .damagedHeader("what it holds goes into no header; `acct keyring rekey` makes another one")
      }
      var isThere = false
      do throws(SharedStoreFailure) {
        isThere = try session.store.swap(session.places.header, contents, version) != nil
      } catch {
        // The answer may have been lost; these bytes are this process's own.
        guard let now = try? session.store.get(session.places.header).object else { throw .engine(error) }
        isThere = now.bytes == contents
        if !isThere, now.version == version { throw .engine(error) }
      }
      guard isThere else { return false }
      let current = key ?? former.current
      let opened = EpochKeys.Opened(
        current: current,
        header: header,
        means: former.means
      )
      try keep(opened, contents)
      return true
    }
  }

  /// The keyring in use.
  func joined() throws(SharedMembershipFailure) -> Session {
    try whole { () throws(KeyringFailure) in
      guard let settings = try settings() else { throw .notJoined }
      return try self.session(settings)
    }
  }

  /// The engine's header, opened, and its version.
  func latest(
    _ session: Session,
    _ interaction: Interaction
  ) throws(SharedMembershipFailure) -> (opened: EpochKeys.Opened, version: Int64) {
    try whole { () throws(KeyringFailure) in
      let before = try opened(session, interaction)
      let known = try copies.known()
      let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
      guard !hasGoneBack(reading.standing, known), let object = reading.object else { throw .rolledBack }
      return (try followed(object.bytes, from: before, interaction), object.version)
    }
  }

  /// The header as it lies on the engine.
  func rawHeader(
    _ session: Session
  ) throws(KeyringFailure) -> (object: SharedStore.Object, standing: SharedStore.Standing) {
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard let object = reading.object else {
      throw .engine(.notPrepared(reason: "there is no keyring \(session.settings.name) on the engine"))
    }
    return (object, reading.standing)
  }

  func whole<Value>(_ body: () throws(KeyringFailure) -> Value) throws(SharedMembershipFailure) -> Value {
    do { return try body() } catch { throw .keyring(error) }
  }
}

extension Roster {
  /// A host's name, with a number where another machine has it, or had it.
  func unusedName(_ name: String, of id: String? = nil, besides others: Set<String> = []) -> String {
    let names = others.union(machines.map(\.name)).union(removed.filter { $0.id != id }.map(\.name))
    let taken = Set(names.map(NameSkeleton.init))
    guard taken.contains(NameSkeleton(name)) else { return name }
    var number = 2
    while taken.contains(NameSkeleton("\(name)-\(number)")) { number += 1 }
    return "\(name)-\(number)"
  }
}

extension String {
  /// `true` for a host's name with a number behind it, as machines of one name get it.
  func isNumbered(after name: String) -> Bool {
    guard hasPrefix("\(name)-") else { return false }
    return Int(dropFirst(name.count + 1)) != nil
  }
}
