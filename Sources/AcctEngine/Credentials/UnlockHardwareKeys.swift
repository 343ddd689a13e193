package import AcctModel
import AcctProtocol

/// Asks for the PINs of keys before a program serves others, while a person is still present.
package struct UnlockHardwareKeys: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Signs something once with each account's key that is in a device.
  ///
  /// - Throws: ``KeyError/hardware(_:_:)``.
  package func unlock(_ accounts: some Sequence<Account>) async throws(EngineError) {
    for account in accounts where account.keyStorage != .software {
      let key = try await AccountKey(context).key(of: account)
      guard let hardware = key.hardware else { continue }
      do { try await hardware.tryOut() } catch { throw .key(.hardware(error, key.storage)) }
    }
  }
}
