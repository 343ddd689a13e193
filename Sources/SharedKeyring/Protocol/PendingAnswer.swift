import AcctModel
package import StrictJSON

/// A server's answer that a process of this machine could not store; the next call on this machine stores it first.
///
/// The decision is the one after a refused write, in the writer's name: its lock is taken out although its process may
/// still run or be gone. Only a write that has a claim, or that knows which credential it replaces, is kept: an old
/// write without either could put older credentials over newer ones.
package struct PendingAnswer<Credential: Equatable & Sendable>: Sendable {
  package var writer: LockOwner
  /// The credential that was spent for the answer, or that a sign-in replaces.
  package var spent: Credential?
  /// The credential that it brought.
  package var brought: Credential?

  package init(writer: LockOwner, spent: Credential?, brought: Credential?) {
    self.writer = writer
    self.spent = spent
    self.brought = brought
  }

  /// The write that is still to be made.
  package var write: UnconfirmedWrite<Credential> {
    UnconfirmedWrite(owner: writer, basis: .spent(spent), wanted: brought)
  }

  /// Decides about the object as it was read.
  ///
  /// The pending file stays until the answer is
  /// ``NextWrite/done``, ``NextWrite/superseded``, ``NextWrite/removed``, or a swap was accepted.
  package func next(found: UnconfirmedWrite<Credential>.Found?) -> NextWrite { write.next(found: found) }
}

/// Two changes to one record, put together: a renewal's end and a new name from another machine lose neither.
package enum RecordMerge {
  /// Returns a record with the members that changed between `base` and `mine`, over `theirs`.
  ///
  /// A member that both have changed is as in `mine`; of two histories, all events count. Objects within objects are one
  /// value.
  package static func members(base: JSONObject, mine: JSONObject, theirs: JSONObject) -> JSONObject {
    var merged = theirs
    for name in Set(base.names).union(mine.names).sorted() where base[name] != mine[name] { merged[name] = mine[name] }
    if let my = mine["history"]?.stringValue, let their = theirs["history"]?.stringValue {
      merged["history"] = .string(AccountHistory(their).merged(with: AccountHistory(my)).text)
    }
    return merged
  }
}
