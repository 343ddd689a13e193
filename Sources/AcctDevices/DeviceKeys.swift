import AcctModel
import Synchronization

/// The keys in devices that a command uses.
final class DeviceKeys: Sendable {
  private struct State {
    /// By ``HardwareKeyReference/ofPIN``.
    var accesses: [HardwareKeyReference: DeviceAccess] = [:]
    var tpms: [TPMAddress: DeviceAccess.Device] = [:]
    /// Keys that this command made, which are of no use if it fails.
    var new: [HardwareKeyReference] = []
    var hasTaken = false
    var mayHaveCopies = false
  }

  private let state = Mutex(State())
  /// Prevents a signal from leaving a new key behind.
  let signalGuard = SignalGuard()

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
