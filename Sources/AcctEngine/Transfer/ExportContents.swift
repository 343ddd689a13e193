package import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// What lies inside an export: accounts as their files describe them, and their keyring items by
/// the keys that storage uses.
///
/// `Documentation/export-format.md` describes it. A machine's own are not in it: the device id that
/// guests are counted by, hints, and which account is active.
package enum ExportContents {
  /// Writes accounts.
  package static func encode(_ holdings: [Holding]) throws(TransferError) -> Secret {
    var accounts: [JSON] = []
    for holding in holdings {
      guard let account = try? JSON(parsing: AccountFile.encode(holding.account)) else {
        throw .unsound(holding.account.name)
      }
      var items = JSONObject()
      for item in holding.orderedItems {
        items[item.kind.key(for: holding.account.id)] = .string(item.secret.text)
      }
      accounts.append(["account": account, "items": .object(items)])
    }
    var bytes = (["accounts": .array(accounts)] as JSON).serialized()
    return Secret(consuming: &bytes)
  }

  /// Reads accounts, each of which is sound.
  ///
  /// - Throws: ``TransferError/notAccounts`` or ``TransferError/unsound(_:)``.
  package static func decode(_ contents: Secret) throws(TransferError) -> [Holding] {
    let json = contents.withBytes { bytes in try? JSON(parsing: bytes) }
    guard let entries = json?.objectValue?["accounts"]?.arrayValue, !entries.isEmpty else {
      throw .notAccounts
    }
    var holdings: [Holding] = []
    for entry in entries {
      guard let holding = holding(entry), !holdings.contains(where: { $0.isTwin(of: holding) })
      else { throw .notAccounts }
      guard holding.isSound else { throw .unsound(holding.account.name) }
      holdings.append(holding)
    }
    return holdings
  }

  private static func holding(_ entry: JSON) -> Holding? {
    guard let object = entry.objectValue, let file = object["account"],
      let account = AccountFile.decode(file.serialized()), let items = object["items"]?.objectValue
    else { return nil }
    var holding = Holding(account: account, items: [:])
    for (key, value) in items {
      guard let (owner, kind) = ItemKind.parse(key), owner == account.id,
        let text = value.stringValue
      else { return nil }
      holding.items[kind] = Secret(text)
    }
    return holding
  }
}

extension Holding {
  /// Whether both can't come out of one acct.
  fileprivate func isTwin(of other: Holding) -> Bool {
    account.id == other.account.id || account.name == other.account.name
  }
}
