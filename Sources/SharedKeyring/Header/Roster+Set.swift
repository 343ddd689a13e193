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
