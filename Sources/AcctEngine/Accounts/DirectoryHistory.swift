package import AcctModel
package import AcctPorts
import StrictJSON

/// Which `.acct` files have chosen an account before.
///
/// A `.acct` file can come with a cloned repository or an archive. The first time that one applies,
/// and when it chooses another account than before, the user is notified.
package struct DirectoryHistory: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// The maximum number of stored files; beyond it, all are forgotten and announced again.
  private static let limit = 500

  /// Tells whether a file chooses this account for the first time, and remembers it.
  ///
  /// If two processes write at once and one entry is lost, the file is announced again, as it is
  /// where the choice can't be stored at all.
  ///
  /// - Parameters:
  ///   - path: The `.acct` file.
  ///   - name: The account that it chooses.
  /// - Returns: Whether it has not chosen that account before.
  package func isFirst(_ path: String, choosing name: AccountName) -> Bool {
    var chosen = known()
    guard chosen[path]?.stringValue != name.description else { return false }
    if chosen.count >= Self.limit { chosen = JSONObject() }
    chosen[path] = .string(name.description)
    let file: JSON = ["version": 1, "chosen": .object(chosen)]
    // The command itself does not depend on this.
    try? world.files.replace(.directories, file.serialized())
    return true
  }

  private func known() -> JSONObject {
    guard let bytes = try? world.files.read(.directories), let file = (try? JSON(parsing: bytes))?.objectValue
    else { return JSONObject() }
    return file["chosen"]?.objectValue ?? JSONObject()
  }
}
