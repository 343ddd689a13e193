import AcctEngine
import AcctModel
import Secrets
import Vault

func accountFileViolation(_ bytes: [UInt8]) -> String? {
  guard let account = AccountFile.decode(bytes) else { return nil }
  return AccountFile.decode(AccountFile.encode(account)) == account
    ? nil : "an account that reads otherwise when written"
}

/// A history, as another machine may have written it, and a time for `--since`.
func accountHistoryViolation(_ bytes: [UInt8]) -> String? {
  guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
  if let time = try? Timestamp(ago: text, before: .epoch) {
    let again = try? Timestamp(ago: time.description, before: .epoch)
    guard again == time else { return "a time that reads otherwise when written" }
  }
  let history = AccountHistory(text)
  let next = AccountEvent(.renewed, at: Timestamp(clamped: .max), on: nil, for: nil)
  let longer = history.adding([next])
  guard longer.events?.last == next else { return "a history that takes no event" }
  guard let events = history.events else { return longer.events?.count == 1 ? nil : "events of a damaged history" }
  guard text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "an event that is not plain text" }
  return AccountHistory(events).merged(with: history) == AccountHistory(events)
    ? nil : "events that read otherwise when written"
}

func vaultHeaderViolation(_ bytes: [UInt8]) -> String? {
  guard let header = try? VaultHeader(parsing: bytes) else { return nil }
  return (try? VaultHeader(parsing: header.serialized())) == header
    ? nil : "a header that reads otherwise when written"
}

func vaultItemViolation(_ bytes: [UInt8]) -> String? {
  let key = Secret([UInt8](repeating: 7, count: 32))
  // Without the key an item that opens can't be made.
  return (try? VaultItem.open(bytes, key: "guest.x.token", vaultKey: key)) == nil
    ? nil : "an item that was never sealed"
}
