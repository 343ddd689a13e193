package import AcctModel
import AcctPorts
package import AcctProtocol

/// Checks that a key can be used now, without a PIN and without a touch.
///
/// A device that another process uses counts as busy after a short wait.
package struct CheckHardwareKey: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Asks the key's device.
  ///
  /// - Parameters:
  ///   - stored: The key.
  ///   - asksForPIN: `true` to report a PIN that is not available.
  /// - Returns: Why the key can't be used; `nil` if it can, or if only its PIN would show it.
  package func failure(of stored: StoredHardwareKey, asksForPIN: Bool) async -> HardwareKeyFailure? {
    switch stored.reference {
    case .tpm2(let blob, let address): await failure(of: blob, address, asksForPIN)
    case .pkcs11(let uri): await failure(of: stored, in: uri)
    }
  }

  /// Tries to sign, which loads the key; a key with a PIN is not used without it.
  private func failure(of blob: [UInt8], _ address: TPMAddress, _ asksForPIN: Bool) async -> HardwareKeyFailure? {
    let tpm = context.world.hardwareKeys.tpm
    do throws(HardwareKeyFailure) {
      _ = try await tpm.sign(blob, address, Array(repeating: 0, count: 32), .absent)
      return nil
    } catch .noPIN(let reason) {
      if (try? await tpm.describe(address).isLockedOut) == true { return .lockedOut }
      return asksForPIN && !PINSource(context).isThere ? .noPIN(reason: reason) : nil
    } catch {
      return error
    }
  }

  private func failure(of stored: StoredHardwareKey, in uri: PKCS11URI) async -> HardwareKeyFailure? {
    let slots = await context.world.hardwareKeys.pkcs11.list(uri)
    let isThere = slots.contains { slot in slot.keys.contains { ($0.point.x, $0.point.y) == stored.point } }
    guard !isThere else { return nil }
    if let failure = slots.compactMap(\.failure).first { return failure }
    return slots.contains { $0.token != nil } ? .gone : .unplugged
  }
}

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
