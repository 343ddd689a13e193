package import AcctModel
import Secrets
import AcctPorts
package import KeyDevices
import Synchronization
import Testing

/// A TPM in memory, as strict as a real one: it uses only keys that it made and opens only what it sealed, until it is
/// cleared, counts wrong PINs, and locks after three.
///
/// It records an issue where it is used as none may be.
package final class InMemoryTPM: Sendable {
  private struct Key {
    var key: DeviceKey
    var pin: Secret?
  }

  private struct State {
    var keys: [[UInt8]: Key] = [:]
    var failure: HardwareKeyFailure?
    var sent: [Secret] = []
    var wrong = 0
    var isLying = false
    var signatures = 0
    var sealed: [[UInt8]: Secret] = [:]
    var timesOpened = 0
  }

  /// Where it is.
  package let address: TPMAddress
  private let isAnywhere: Bool
  private let state = Mutex(State())

  /// - Parameter address: Where it is, and no other one; at every address if not given.
  package init(at address: TPMAddress? = nil) {
    self.address = address ?? .standard
    isAnywhere = address == nil
  }

  /// Makes every use fail from now on, or none any more.
  package func fail(with failure: HardwareKeyFailure?) { state.withLock { $0.failure = failure } }
  /// Loses every key and forgets what it sealed, as when it is cleared.
  package func clear() {
    state.withLock { state in
      state.keys = [:]
      state.sealed = [:]
    }
  }
  /// Returns signatures that are wrong from now on.
  package func lie() { state.withLock { $0.isLying = true } }
  /// Forgets the wrong PINs.
  package func resetLockout() { state.withLock { $0.wrong = 0 } }
  package var signatures: Int { state.withLock { $0.signatures } }
  /// How often it was asked to open something.
  package var timesOpened: Int { state.withLock { $0.timesOpened } }
  /// How many PINs were sent to it.
  package var pinsSent: Int { state.withLock { $0.sent.count } }

  private static let mark = Array("blob".utf8)

  package var keys: TPMKeys {
    TPMKeys(
      create: { address, withPIN, holder throws(HardwareKeyFailure) in
        try self.check(address)
        let request = PINRequest(device: "the TPM", isNew: true)
        let pin = withPIN ? try holder.pin(request) : nil
        guard let key = DeviceKey() else { throw .failed(reason: "no key") }
        let point = key.point
        let blob = Self.mark + [withPIN ? 1 : 0] + point.x + point.y
        self.state.withLock { $0.keys[blob] = Key(key: key, pin: pin) }
        return TPMKey(blob: blob, point: point, hasPIN: withPIN)
      },
      sign: { blob, address, digest, holder throws(HardwareKeyFailure) in
        try self.check(address)
        return try self.sign(blob, digest, holder)
      },
      read: { blob throws(HardwareKeyFailure) in
        guard blob.starts(with: Self.mark), blob.count == 69 else { throw .unsuitable(reason: "it is no key of a TPM") }
        let point = HardwareKeyPoint(x: Array(blob[5..<37]), y: Array(blob[37..<69]))
        return TPMKey(blob: blob, point: point, hasPIN: blob[4] == 1)
      },
      seal: { secret, address throws(HardwareKeyFailure) in
        try self.check(address)
        // Of Create: "inSensitive.data", at most 128 bytes.
        guard secret.count <= 128 else { throw .failed(reason: "0x1d5") }
        let blob = (0..<300).map { _ in UInt8.random(in: .min ... .max) }
        self.state.withLock { $0.sealed[blob] = secret }
        return blob
      },
      unseal: { blob, address, _ throws(HardwareKeyFailure) in
        self.state.withLock { $0.timesOpened += 1 }
        try self.check(address)
        guard let secret = self.state.withLock({ $0.sealed[blob] }) else { throw .foreign }
        return secret
      },
      describe: { address throws(HardwareKeyFailure) in
        try self.check(address)
        let wrong = self.state.withLock { $0.wrong }
        return TPMDescription(manufacturer: "In memory", isLockedOut: wrong >= 3, triesLeft: max(0, 3 - wrong))
      }
    )
  }

  private func check(_ address: TPMAddress) throws(HardwareKeyFailure) {
    guard isAnywhere || address == self.address else {
      throw .absent(reason: "\(address.description): there is no such device")
    }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  private func sign(_ blob: [UInt8], _ digest: [UInt8], _ holder: KeyHolder) throws(HardwareKeyFailure) -> [UInt8] {
    if digest.count != 32 { Issue.record("a TPM signs digests of 32 bytes") }
    guard let key = state.withLock({ $0.keys[blob] }) else { throw .foreign }
    if let pin = key.pin {
      guard state.withLock({ $0.wrong < 3 }) else { throw .lockedOut }
      let answer = try holder.pin(PINRequest(device: "the TPM"))
      let isRepeated = state.withLock { state in
        defer { state.sent.append(answer) }
        return answer != pin && state.sent.contains(answer)
      }
      if isRepeated { Issue.record("a wrong PIN was sent twice") }
      guard answer == pin else {
        state.withLock { $0.wrong += 1 }
        throw .wrongPIN(triesLeft: nil)
      }
    }
    let isLying = state.withLock { state in
      state.signatures += 1
      return state.isLying
    }
    return key.key.sign(isLying ? Array(repeating: 1, count: 32) : digest)
  }
}
