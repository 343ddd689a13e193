import AcctModel
package import StrictJSON

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
