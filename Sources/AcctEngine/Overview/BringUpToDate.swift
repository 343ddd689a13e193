import AcctModel
import AcctPorts

/// Brings here what other machines have done to the accounts of a shared keyring.
///
/// Where the keyring is this machine's own, there is nothing to bring.
extension EngineContext {
  /// Brings accounts that other machines have added and changed, and deletes those that they have removed.
  ///
  /// - Throws: Why the engine could not be asked; then the accounts here stay as they were last seen.
  func bringUpToDate() async throws(EngineError) { try await sharedRecords()?.bring() }
}

extension AccountOverview {
  /// Brings the accounts of a shared keyring here before they are shown.
  ///
  /// - Returns: What the user should know where the engine could not be asked: what is shown is this machine's copy.
  package func bringUpToDate() async -> Notice? {
    do { try await context.bringUpToDate() } catch { return .copyShown(because: error) }
    return nil
  }
}
