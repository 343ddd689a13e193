package import AcctModel
import StrictJSON

/// What the trace of a removal says of the account that was there: its name and its last events, for people to read.
///
/// No decision depends on it. A keyring of the former form has none, since earlier versions of acct know no such trace.
package struct Removal: Equatable, Sendable {
  package var name: AccountName
  /// The removal is the last of the events.
  package var history: AccountHistory

  /// The most events, that of the removal included: traces stay for ever.
  static let eventLimit = 10
  private static let sizeLimit = 1 << 16

  package init(name: AccountName, history: AccountHistory) {
    self.name = name
    self.history = history
  }

  /// Describes the removal of an account; `nil` for items without an account.
  init?(of object: SharedObject, _ event: AccountEvent) {
    guard let name = object.name else { return nil }
    // A record or a history that does not parse is no reason to keep an account.
    let record = (try? JSON(parsing: object.record))?.objectValue
    let events = AccountHistory(record?["history"]?.stringValue ?? "").events ?? []
    self.init(name: name, history: AccountHistory(events.suffix(Self.eventLimit - 1) + [event]))
    // A trace that can't be read would be a damaged one.
    guard Removal(bytes) == self else { return nil }
  }

  /// The bytes of its field in a trace.
  var bytes: [UInt8] { JSON.array([.string(name.description), .string(history.text)]).serialized() }

  /// Reads the field; `nil` for anything that ``bytes`` does not write.
  init?(_ bytes: [UInt8]) {
    guard let parts = (try? JSON(parsing: bytes, maximumBytes: Self.sizeLimit))?.arrayValue, parts.count == 2,
      let name = parts[0].stringValue.flatMap({ try? AccountName($0) }), let text = parts[1].stringValue,
      let events = AccountHistory(text).events, events.count <= Self.eventLimit
    else { return nil }
    self.init(name: name, history: AccountHistory(text))
    guard self.bytes == bytes else { return nil }
  }
}
