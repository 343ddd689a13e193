import AcctModel
package import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON

/// The contents of an export: accounts as their files describe them, and their keyring items by the keys that storage
/// uses.
///
/// `Documentation/export-format.md` describes the format. A machine's own data is not in it: the device id of guests,
/// hints, the keyring of an account, its history but for when its tokens were stored, and the active account. An account that names a file, a program or a
/// device is refused: one that comes from elsewhere must not choose what is read, run or printed here.
package enum ExportContents {
  /// Serializes accounts.
  package static func encode(_ storedAccounts: [StoredAccount]) throws(TransferError) -> Secret {
    var accounts: [JSON] = []
    for storedAccount in storedAccounts {
      var exported = storedAccount.account.withoutFiles
      exported.keptIn = nil
      exported.history =
        exported.credentialsStoredAt.map { AccountHistory([AccountEvent(.added, at: $0, on: nil, for: nil)]) }
        ?? .init()
      guard let account = try? JSON(parsing: AccountFile.encode(exported)) else {
        throw .unsound(storedAccount.account.name)
      }
      var items = JSONObject()
      for item in storedAccount.orderedItems {
        items[item.kind.key(for: storedAccount.account.id)] = .string(item.secret.text)
      }
      accounts.append(["account": account, "items": .object(items)])
    }
    var bytes = (["accounts": .array(accounts)] as JSON).serialized()
    return Secret(consuming: &bytes)
  }

  /// Parses accounts, each of which is sound.
  ///
  /// - Throws: ``TransferError/notAccounts``, ``TransferError/local(_:)`` or ``TransferError/unsound(_:)``.
  package static func decode(_ contents: Secret) throws(TransferError) -> [StoredAccount] {
    let json = contents.withBytes { bytes in try? JSON(parsing: bytes) }
    guard let entries = json?.objectValue?["accounts"]?.arrayValue, !entries.isEmpty else { throw .notAccounts }
    var storedAccounts: [StoredAccount] = []
    for entry in entries {
      guard let storedAccount = storedAccount(entry), !storedAccounts.contains(where: { $0.isTwin(of: storedAccount) })
      else { throw .notAccounts }
      let account = storedAccount.account
      guard !account.namesFilesOrPrograms, account.deviceStorage == nil else { throw .local(account.name) }
      guard storedAccount.isSound else { throw .unsound(storedAccount.account.name) }
      storedAccounts.append(storedAccount)
    }
    return storedAccounts
  }

  private static func storedAccount(_ entry: JSON) -> StoredAccount? {
    guard let object = entry.objectValue, let file = object["account"],
      let account = AccountFile.decode(file.serialized()),
      let items = object["items"]?.objectValue
    else { return nil }
    var storedAccount = StoredAccount(account: account, items: [:])
    for (key, value) in items {
      guard let (owner, kind) = ItemKind.parse(key), owner == account.id, let text = value.stringValue
      else { return nil }
      storedAccount.items[kind] = Secret(text)
    }
    return storedAccount
  }
}

extension StoredAccount {
  /// Returns `true` if both can't come from one acct.
  fileprivate func isTwin(of other: StoredAccount) -> Bool {
    account.id == other.account.id || account.name == other.account.name
  }
}
