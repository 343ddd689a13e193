package import AcctConsole
package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol
import KeyDevices

/// Checks that a key can be used now, without a PIN and without a touch.
///
/// A device that another process uses counts as busy after a short wait.
package struct CheckHardwareKey: Sendable {
  private let context: EngineContext
  private let devices: Devices

  package init(_ context: EngineContext) { self.init(context, context.ownDevices) }

  init(_ context: EngineContext, _ devices: Devices) {
    self.context = context
    self.devices = devices
  }

  /// Asks the key's device.
  ///
  /// - Parameters:
  ///   - stored: The key.
  ///   - asksForPIN: `true` to report a PIN that is not available.
  /// - Returns: Why the key can't be used; `nil` if it can, or if only its PIN would show it.
  func failure(of stored: StoredHardwareKey, asksForPIN: Bool) async -> HardwareKeyFailure? {
    switch (try? KeptKey(stored))?.reference {
    case .tpm2(let blob, let address): await failure(of: blob, address, asksForPIN)
    case .pkcs11(let uri): await failure(of: stored, in: uri)
    // It was not opened either.
    case nil: nil
    }
  }

  /// Tries to sign, which loads the key; a key with a PIN is not used without it.
  private func failure(of blob: [UInt8], _ address: TPMAddress, _ asksForPIN: Bool) async -> HardwareKeyFailure? {
    let tpm = devices.hardware.tpm
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
    let slots = await devices.hardware.pkcs11.list(uri)
    let isThere = slots.contains { slot in slot.keys.contains { ($0.point.x, $0.point.y) == stored.point } }
    guard !isThere else { return nil }
    if let failure = slots.compactMap(\.failure).first { return failure }
    return slots.contains { $0.token != nil } ? .gone : .absent(reason: "it is not plugged in")
  }

  /// The states of accounts whose keys are in devices that can't be used now.
  ///
  /// Only such accounts are looked at, and no person is asked: where the keyring is locked, nothing is known of them.
  ///
  /// - Parameter accounts: The accounts.
  /// - Returns: The states, by account.
  package func states(of accounts: [Account]) async -> [AccountID: SessionState] {
    var states: [AccountID: SessionState] = [:]
    var quiet = context
    quiet.interaction = .forbidden
    for account in accounts where account.keyStorage != .software {
      // `status` and `doctor` report a keyring or an item that can't be read.
      guard let stored = try? await CredentialStore(of: account, in: quiet).storedHardwareKey() else { continue }
      states[account.id] = await CheckHardwareKey(quiet, devices).failure(of: stored, asksForPIN: false)?.state
    }
    return states
  }

  /// Checks that the keys in devices can be used now; no finding if no account has one.
  package func findings(in keyring: Keyring) async -> [Finding] {
    let accounts = ((try? context.accountStore.listing().accounts) ?? []).filter { $0.keyStorage != .software }
    guard !accounts.isEmpty else { return [] }
    var findings: [Finding] = []
    var ready = 0
    for account in accounts {
      let store = CredentialStore(of: account, in: keyring, context)
      // Other findings report a keyring that can't be read, and an item that is damaged or missing.
      guard let stored = try? await store.storedHardwareKey() else { continue }
      if let failure = await failure(of: stored, asksForPIN: false) {
        findings.append(finding(failure, account))
      } else {
        ready += 1
      }
    }
    guard findings.isEmpty, ready > 0 else { return findings }
    return [Finding(.ok, "hardwareKeys", "the keys in devices can be used (\(ready))")]
  }

  /// An account's key can't be used now.
  private func finding(_ failure: HardwareKeyFailure, _ account: Account) -> Finding {
    var message = ErrorMessage(failure, account.keyStorage).naming(account.name)
    message.text = "\(account.name): \(message.text)"
    return switch failure {
    case .absent, .busy: Finding(message, .warning)
    case .forbidden, .lockedOut, .wrongPIN, .noPIN, .cancelled, .notTouched, .foreign, .owned, .gone, .unsuitable,
      .malformedReply, .failed:
      Finding(message)
    }
  }
}
