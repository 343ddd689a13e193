package import AcctEngine
package import AcctModel
import AcctPorts
package import AcctProtocol
package import KeyDevices
import Synchronization

/// The devices of this machine, and the keys in them that a command uses.
package final class Devices: Sendable {
  private struct State {
    /// By ``HardwareKeyReference/ofPIN``.
    var accesses: [HardwareKeyReference: DeviceAccess] = [:]
    var tpms: [TPMAddress: DeviceAccess.Device] = [:]
    /// Keys that this command made, which are of no use if it fails.
    var new: [HardwareKeyReference] = []
    var hasTaken = false
    var mayHaveCopies = false
  }

  /// The way to the devices.
  let hardware: HardwareKeys
  private let state = Mutex(State())
  /// Prevents a signal from leaving a new key behind.
  let signalGuard = SignalGuard()

  package init(_ hardware: HardwareKeys) { self.hardware = hardware }

  /// The access to a key; one object for all keys with the same PIN.
  func access(to reference: HardwareKeyReference) -> DeviceAccess {
    state.withLock { state in
      if let access = state.accesses[reference.ofPIN] { return access }
      let access: DeviceAccess
      switch reference {
      case .tpm2(_, let address):
        let device = state.tpms[address] ?? DeviceAccess.Device()
        state.tpms[address] = device
        access = DeviceAccess(device)
      case .pkcs11: access = DeviceAccess()
      }
      state.accesses[reference.ofPIN] = access
      return access
    }
  }

  /// Notes the access to a key that was just made or found, whose PIN may have been given meanwhile.
  func note(_ access: DeviceAccess, to reference: HardwareKeyReference, isNew: Bool) {
    state.withLock { state in
      state.accesses[reference.ofPIN] = access
      state.hasTaken = true
      if isNew { state.new.append(reference) }
    }
  }

  /// Notes that the key of a sign-in may have been copied before.
  func noteCopies() { state.withLock { $0.mayHaveCopies = true } }

  /// `true` if the key of a sign-in may have been copied before.
  var mayHaveCopies: Bool { state.withLock { $0.mayHaveCopies } }

  /// Returns the keys that this command made and nothing uses, and forgets them.
  func takeNew() -> [HardwareKeyReference] {
    state.withLock { state in
      defer { state.new = [] }
      return state.new
    }
  }

  /// `true` if this command has made or found a key for a sign-in.
  var hasTaken: Bool { state.withLock { $0.hasTaken } }
}

extension HardwareKeyReference {
  /// The scope of one PIN: a key in a TPM, but a whole token.
  fileprivate var ofPIN: HardwareKeyReference {
    guard case .pkcs11(var uri) = self else { return self }
    uri.object = nil
    uri.id = nil
    uri.pinFile = nil
    return .pkcs11(uri)
  }
}

extension EngineContext {
  /// The command's devices; none for a context that was made without.
  var ownDevices: Devices { devices as? Devices ?? Devices(.none) }
}

/// The answers to the core, which knows no device.
extension Devices: KeysInDevices {
  package func open(_ stored: StoredHardwareKey, _ context: EngineContext) throws(JWKError) -> HardwareKey {
    let kept = try KeptKey(stored)
    if case .tpm2(let blob, _) = kept.reference {
      let point: HardwareKeyPoint?
      do throws(HardwareKeyFailure) {
        point = try hardware.tpm.read(blob).point
      } catch .absent {
        point = nil
      } catch { throw .unsupportedStorage }
      if let point, (point.x, point.y) != stored.point { throw .coordinateMismatch(.x) }
    }
    return key(stored, kept, context)
  }

  /// The key with the access to its device.
  func key(_ stored: StoredHardwareKey, _ kept: KeptKey, _ context: EngineContext) -> HardwareKey {
    HardwareKey(stored.placed(kept.place)) { digest throws(HardwareKeyFailure) in
      try await self.access(to: kept.reference).use(in: context) { holder throws(HardwareKeyFailure) in
        switch kept.reference {
        case .tpm2(let blob, let address): try await self.hardware.tpm.sign(blob, address, digest, holder)
        case .pkcs11(let uri): try await self.hardware.pkcs11.sign(uri, digest, holder)
        }
      }
    }
  }

  package func make(
    besideThoseOf accounts: [Account],
    _ context: EngineContext
  ) async throws(EngineError) -> DPoPKey { try await NewKeys(context, self).make(besideThoseOf: accounts) }

  package func failure(of stored: StoredHardwareKey, _ context: EngineContext) async -> HardwareKeyFailure? {
    await CheckHardwareKey(context, self).failure(of: stored, asksForPIN: true)
  }

  package func remove(_ stored: StoredHardwareKey, of account: Account, _ context: EngineContext) async -> Notice? {
    await RemoveHardwareKey(context, self).remove(stored, of: account)
  }

  package func object(_ uri: String, _ context: EngineContext) throws(EngineError) -> ObjectInToken {
    let uri = try PKCS11URI(named: uri)
    return ObjectInToken(
      uri: uri.description,
      sign: { digest throws(HardwareKeyFailure) in
        try await self.access(to: .pkcs11(uri)).use(in: context) { holder throws(HardwareKeyFailure) in
          try await self.hardware.pkcs11.sign(uri, digest, holder)
        }
      },
      certificate: { () throws(HardwareKeyFailure) in
        try await self.access(to: .pkcs11(uri)).use(in: context) { holder throws(HardwareKeyFailure) in
          try await self.hardware.pkcs11.certificate(uri, holder)
        }
      }
    )
  }
}
