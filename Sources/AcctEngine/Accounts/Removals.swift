import AcctModel
import AcctPorts
import StrictJSON

/// The last accounts that were removed from this machine's own keyring, with their histories: what `log` shows of them.
///
/// A shared keyring has its own.
struct Removals {
  private let world: World

  init(_ world: World) { self.world = world }

  /// The most accounts that are kept.
  private static let limit = 100
  /// The most uses of each.
  static let useLimit = 20

  /// The accounts, the last one last.
  ///
  /// A damaged file has none: the next removal writes it anew.
  func all() throws(FilesFailure) -> [RemovedAccount] {
    let file = try world.files.members(of: .removals)
    return (file?["removed"]?.arrayValue ?? []).compactMap(RemovedAccount.init(json:))
  }

  /// Adds an account; the caller has the lock of the accounts' names.
  func add(_ account: RemovedAccount) throws(FilesFailure) {
    let kept = (try all().filter { $0.id != account.id } + [account]).suffix(Self.limit)
    let file: JSON = ["version": 1, "removed": .array(kept.map(\.json))]
    try world.files.replace(.removals, file.serialized())
  }
}

extension RemovedAccount {
  fileprivate var json: JSON {
    [
      "id": .string(id.description), "name": .string(name.description), "history": .string(history.text),
      "uses": .string(uses.text),
    ]
  }

  fileprivate init?(json: JSON) {
    guard let id = json.objectValue?["id"]?.stringValue.flatMap({ try? AccountID($0) }),
      let name = json.objectValue?["name"]?.stringValue.flatMap({ try? AccountName($0) })
    else { return nil }
    self.init(
      id: id,
      name: name,
      history: AccountHistory(json.objectValue?["history"]?.stringValue ?? ""),
      uses: AccountUses(json.objectValue?["uses"]?.stringValue ?? "")
    )
  }
}
