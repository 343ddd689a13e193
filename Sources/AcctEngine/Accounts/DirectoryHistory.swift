import AcctModel
package import AcctPorts
import StrictJSON

/// The record of the accounts that `.acct` files have chosen.
///
/// A `.acct` file can come with a cloned repository or an archive. The user is notified when one is applied for the
/// first time, or chooses another account than before.
package struct DirectoryHistory: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// The maximum number of stored files; beyond it, all are forgotten and announced again.
  private static let limit = 500

  /// Returns `true` if a file chooses this account for the first time, and records the choice.
  ///
  /// If two processes write at once and one entry is lost, the file is announced again, as it is if the choice can't
  /// be stored.
  ///
  /// - Parameters:
  ///   - path: The `.acct` file.
  ///   - names: The account that it chooses, or all that it names.
  /// - Returns: `true` if it did not choose that the last time.
  package func isFirst(_ path: String, choosing names: String) -> Bool {
    guard var chosen = known() else { return true }
    guard chosen[path]?.stringValue != names else { return false }
    if chosen.count >= Self.limit { chosen = JSONObject() }
    chosen[path] = .string(names)
    let file: JSON = ["version": 1, "chosen": .object(chosen)]
    // The command does not depend on this write.
    try? world.files.replace(.directories, file.serialized())
    return true
  }

  /// The choices; `nil` if they can't be read, or a later version of acct wrote them.
  private func known() -> JSONObject? {
    do throws(FilesFailure) {
      return try world.files.members(of: .directories)?["chosen"]?.objectValue ?? JSONObject()
    } catch {
      return nil
    }
  }
}
