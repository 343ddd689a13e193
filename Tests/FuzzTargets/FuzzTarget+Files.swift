import AcctEngine
import Secrets
import Vault

func accountFileViolation(_ bytes: [UInt8]) -> String? {
  guard let account = AccountFile.decode(bytes) else { return nil }
  return AccountFile.decode(AccountFile.encode(account)) == account
    ? nil : "an account that reads otherwise when written"
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
