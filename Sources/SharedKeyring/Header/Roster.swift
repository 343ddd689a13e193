package import AcctCrypto
import AcctPorts
package import FleetPorts
package import Secrets
import StrictJSON
import Text
import Vault

/// The sealed part of a header: the names' key, who the recipients are, and what a machine that has seen nothing yet can
/// compare the engine with.
package struct Roster: Equatable, Sendable {
  /// The key of the digests that stand for names on the engine; it stays, so that names are unique throughout.
  package var names: Secret
  /// Grows with each change of the header in an epoch: an earlier one that is put back is noticed.
  ///
  /// The next epoch's begins anew, so that no member can use the numbers up.
  package var generation: Int64
  /// How many accounts and traces of removals the engine had after the last change of the key.
  package var objects: Int64 = 0
  /// The highest generation among these.
  package var highest: Int64 = 0
  /// The public keys of passphrases and key files.
  package var shared: [Shared] = []
  package var machines: [Member] = []
  package var removed: [Removed] = []
  /// When each machine that has a passphrase or a key file joined by it, in seconds since 1970; versions up to 0.2 do not
  /// note it.
  package var joined: [String: Int64] = [:]
  /// How many entries were left out because their key has another one, which is not written.
  ///
  /// See ``asSet(in:openedBy:)``.
  package var doubles = 0

  /// A passphrase or a key file.
  package struct Shared: Equatable, Sendable {
    package var publicKey: P256PublicKey
    package var kind: KeyringHeader.Recipient.Kind
    /// The machines that are said to have it.
    package var holders: [String] = []
    /// Seconds since 1970; `nil` for one of before that was noted.
    package var since: Int64?
    package var vouchers: [Voucher] = []
    package var id: String { KeyringHeader.id(of: publicKey) }

    package init(
      publicKey: P256PublicKey,
      kind: KeyringHeader.Recipient.Kind,
      holders: [String] = [],
      since: Int64? = nil,
      vouchers: [Voucher] = []
    ) {
      self.publicKey = publicKey
      self.kind = kind
      self.holders = holders
      self.since = since
      self.vouchers = vouchers
    }
  }

  /// A machine with a key of its own.
  package struct Member: Equatable, Sendable {
    package var publicKey: P256PublicKey
    /// Its host's name, and a number where another one has that.
    package var name: String
    /// Seconds since 1970.
    package var since: Int64
    /// Of acct, when it was approved.
    package var version: String
    /// The request that it was approved by; empty for one that had the key before.
    package var request: String
    /// Who approved it.
    package var by: String
    /// The identifier that it had before, as one that opened the keyring otherwise; empty for none.
    package var formerly = ""
    /// The place of its key, as it has told it.
    package var keyPlace: SharedMachine.KeyPlace?
    package var vouchers: [Voucher] = []

    package var id: String { KeyringHeader.id(of: publicKey) }

    package init(
      publicKey: P256PublicKey,
      name: String,
      since: Int64,
      version: String,
      request: String,
      by: String,
      formerly: String = "",
      keyPlace: SharedMachine.KeyPlace? = nil,
      vouchers: [Voucher] = []
    ) {
      self.publicKey = publicKey
      self.name = name
      self.since = since
      self.version = version
      self.request = request
      self.by = by
      self.formerly = formerly
      self.keyPlace = keyPlace
      self.vouchers = vouchers
    }
  }

  package struct Removed: Equatable, Sendable {
    package var id: String
    package var name: String
    package var by: String
    /// Seconds since 1970.
    package var at: Int64
    /// The request that it was approved by, and who did so; empty for none.
    package var request = ""
    package var approvedBy = ""
  }

  static let removedLimit = 256
  /// The most machines that are known to have a secret; those that joined last stay.
  static let holderLimit = 256

  /// Notes that a machine has the passphrase or the key file; one that was removed is there again.
  ///
  /// - Parameters:
  ///   - machine: Its identifier.
  ///   - means: What it has.
  ///   - time: When it joined by that, if it does so now, in seconds since 1970.
  /// - Returns: `true` if that was not known.
  mutating func note(_ machine: String, holding means: Means, at time: Int64? = nil) -> Bool {
    var isNew = removed.contains { $0.id == machine }
    for index in shared.indices where shared[index].means == means && !shared[index].holders.contains(machine) {
      shared[index].holders = (shared[index].holders + [machine]).suffix(Self.holderLimit)
      isNew = true
    }
    removed.removeAll { $0.id == machine }
    if isNew, let time { noteJoining(of: machine, at: time) }
    return isNew
  }

  /// Notes when a machine joined; the times of those that joined last stay.
  mutating func noteJoining(of machine: String, at time: Int64) {
    joined[machine] = time
    guard joined.count > Self.holderLimit, let first = joined.min(by: { $0.value < $1.value })?.key else { return }
    joined[first] = nil
  }

  /// Notes that a machine has what it had under another identifier.
  mutating func note(_ machine: String, holdingAs former: String) {
    for shared in shared where shared.holders.contains(former) { _ = note(machine, holding: shared.means) }
  }
}

extension Roster {
  /// The plaintext: the names' key, and JSON behind it.
  var plaintext: Secret {
    var times = JSONObject()
    for (machine, time) in joined.sorted(by: { $0.key < $1.key }) { times[machine] = JSON(time) }
    let json: JSON = [
      "generation": JSON(generation),
      "objects": JSON(objects),
      "highest": JSON(highest),
      "shared": .array(
        shared.map { shared in
          var members: JSONObject = [
            "key": .string(hex(shared.publicKey.point)), "holders": .array(shared.holders.map(JSON.string)),
          ]
          if case .passphrase(let kdf, let salt) = shared.kind {
            members["scrypt"] = .array([JSON(Int64(kdf.n)), JSON(Int64(kdf.r)), JSON(Int64(kdf.p))])
            members["salt"] = .string(hex(salt))
          }
          if let since = shared.since { members["since"] = JSON(since) }
          members.put(shared.vouchers)
          return .object(members)
        }
      ),
      "machines": .array(
        machines.map { machine in
          var members: JSONObject = [
            "key": .string(hex(machine.publicKey.point)), "name": .string(machine.name),
            "since": JSON(machine.since), "version": .string(machine.version),
            "request": .string(machine.request), "by": .string(machine.by),
            "formerly": .string(machine.formerly),
          ]
          if let place = machine.keyPlace { members["place"] = .string(place.rawValue) }
          members.put(machine.vouchers)
          return .object(members)
        }
      ),
      "removed": .array(
        removed.map { [$0.id, $0.name, $0.by, $0.request, $0.approvedBy].map(JSON.string) + [JSON($0.at)] }
          .map(JSON.array)
      ),
      "joined": .object(times),
    ]
    return Secret(joining: [names, Secret(json.serialized())])
  }

  /// Reads a plaintext; `nil` for anything else.
  init?(_ plaintext: Secret) {
    guard plaintext.count > AESGCM.keyCount else { return nil }
    let names = plaintext.withBytes { Secret($0.extracting(first: AESGCM.keyCount)) }
    let json = plaintext.withBytes { bytes in
      try? JSON(parsing: bytes.extracting(AESGCM.keyCount..<bytes.count), maximumBytes: KeyringHeader.sizeLimit)
    }
    guard let members = json?.objectValue, let generation = members.number("generation"),
      let objects = members.number("objects"), let highest = members.number("highest"),
      let shared = members["shared"]?.arrayValue, let machines = members["machines"]?.arrayValue,
      let removed = members["removed"]?.arrayValue
    else { return nil }
    self.init(
      names: names,
      generation: generation,
      objects: objects,
      highest: highest,
      shared: shared.compactMap(Shared.init),
      machines: machines.compactMap(Member.init),
      removed: removed.compactMap(Removed.init)
    )
    let times = members["joined"]?.objectValue ?? [:]
    for machine in times.names { joined[machine] = times.number(machine) }
    guard self.shared.count == shared.count, self.machines.count == machines.count,
      self.removed.count == removed.count
    else { return nil }
  }
}

extension Roster.Shared {
  fileprivate init?(_ json: JSON) {
    guard let members = json.objectValue, let key = members.publicKey, let list = members["holders"]?.arrayValue
    else { return nil }
    let holders = list.compactMap(\.stringValue)
    guard holders.count == list.count else { return nil }
    let (since, vouchers) = (members.number("since"), Voucher.list(members["vouchers"]))
    guard members["scrypt"] != nil else {
      self.init(publicKey: key, kind: .keyFile, holders: holders, since: since, vouchers: vouchers)
      return
    }
    let cost = (members["scrypt"]?.arrayValue ?? [])
      .compactMap { $0.numberValue?.integer.flatMap(UInt64.init(exactly:)) }
    guard cost.count == 3, let kdf = KDFParameters(n: cost[0], r: cost[1], p: cost[2]),
      let salt = members.bytes("salt", VaultHeader.saltCount)
    else { return nil }
    self.init(
      publicKey: key,
      kind: .passphrase(kdf, salt: salt),
      holders: holders,
      since: since,
      vouchers: vouchers
    )
  }
}

extension Roster.Member {
  fileprivate init?(_ json: JSON) {
    guard let members = json.objectValue, let key = members.publicKey, let name = members["name"]?.stringValue,
      let since = members.number("since"), let version = members["version"]?.stringValue,
      let request = members["request"]?.stringValue, let by = members["by"]?.stringValue,
      let formerly = members["formerly"]?.stringValue
    else { return nil }
    self.init(
      publicKey: key,
      // A host's, with a number behind it; a longer one is a member's mischief.
      name: String(name.unicodeScalars.prefix(Writer.nameLimit + 8)),
      since: since,
      version: version,
      request: request,
      by: by,
      formerly: formerly,
      keyPlace: members.keyPlace,
      vouchers: Voucher.list(members["vouchers"])
    )
  }
}

extension Roster.Removed {
  fileprivate init?(_ json: JSON) {
    guard let parts = json.arrayValue, parts.count == 6, let at = parts[5].numberValue?.integer else { return nil }
    let texts = parts.prefix(5).compactMap(\.stringValue)
    guard texts.count == 5 else { return nil }
    self.init(id: texts[0], name: texts[1], by: texts[2], at: at, request: texts[3], approvedBy: texts[4])
  }
}

extension JSONObject {
  /// A number of up to 2^62.
  func number(_ name: String) -> Int64? {
    guard let number = self[name]?.numberValue?.integer, (0...SharedObject.lastGeneration).contains(number)
    else { return nil }
    return number
  }

  /// Puts the vouchers of an entry, if it has any.
  fileprivate mutating func put(_ vouchers: [Voucher]) {
    if !vouchers.isEmpty { self["vouchers"] = .array(vouchers.map(\.json)) }
  }

  /// The place of a machine's key; `nil` for one that this version does not know.
  var keyPlace: SharedMachine.KeyPlace? {
    self["place"]?.stringValue.flatMap(SharedMachine.KeyPlace.init(rawValue:))
  }

  /// The public key of the member `key`.
  var publicKey: P256PublicKey? { bytes("key", 65).flatMap { try? P256PublicKey(point: $0) } }
}

extension Roster {
  /// The list as a set: each key has one entry, however often a member has put it in.
  ///
  /// The entry that the key's own machine has signed counts, else that of a machine, else the first one. A passphrase or
  /// a key file is held by all machines that any of its entries names.
  ///
  /// - Parameters:
  ///   - keyring: The keyring's identifier.
  ///   - shared: The passphrase or key file that has opened the keyring here: it is no machine, whatever is said.
  /// - Returns: The set, with the number of entries that it leaves out.
  func asSet(in keyring: [UInt8], openedBy shared: String? = nil) -> Roster {
    var set = self
    (set.machines, set.shared) = ([], [])
    var places: [String: Int] = [:]
    for machine in machines where machine.id != shared {
      guard let place = places[machine.id] else {
        places[machine.id] = set.machines.count
        set.machines.append(machine)
        continue
      }
      if !set.machines[place].isOwn(in: keyring), machine.isOwn(in: keyring) { set.machines[place] = machine }
    }
    for entry in self.shared where places[entry.id] == nil {
      guard let place = set.shared.firstIndex(where: { $0.id == entry.id }) else {
        set.shared.append(entry)
        continue
      }
      let holders = entry.holders.filter { !set.shared[place].holders.contains($0) }
      set.shared[place].holders = (set.shared[place].holders + holders).suffix(Self.holderLimit)
    }
    set.doubles = machines.count + self.shared.count - set.machines.count - set.shared.count
    return set
  }
}
