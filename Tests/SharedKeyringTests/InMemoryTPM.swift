import AcctCrypto
import AcctModel
import AcctPorts
import Secrets
import Synchronization

/// A TPM with keys for ECDH, which it loses when it is cleared.
final class InMemoryTPM: Sendable {
  let address = TPMAddress.path("/dev/tpmrm0")
  /// By their points; a blob is a point.
  private let keys = Mutex<[[UInt8]: P256PrivateKey]>([:])
  private let count = Mutex(0)

  /// How often it was asked for a shared secret.
  var uses: Int { count.withLock(\.self) }

  func clear() { keys.withLock { $0 = [:] } }

  var agreements: AgreementKeys {
    AgreementKeys(
      create: { address throws(HardwareKeyFailure) in
        guard address == self.address else { throw .absent(reason: "there is no such TPM") }
        guard let key = try? P256PrivateKey.generate() else { throw .failed(reason: "no key") }
        self.keys.withLock { $0[key.publicKey.point] = key }
        return (key.publicKey.point, HardwareKeyPoint(x: key.publicKey.x, y: key.publicKey.y))
      },
      agree: { blob, address, point, _ throws(HardwareKeyFailure) in
        guard address == self.address else { throw .absent(reason: "there is no such TPM") }
        self.count.withLock { $0 += 1 }
        guard let key = self.keys.withLock({ $0[blob] }) else { throw .foreign }
        guard let other = try? P256PublicKey(x: point.x, y: point.y), let shared = try? key.agreement(with: other)
        else { throw .unsuitable(reason: "a point that is not on the curve") }
        return shared
      },
      read: { blob throws(HardwareKeyFailure) in
        guard let key = try? P256PublicKey(point: blob) else { throw .unsuitable(reason: "no blob") }
        return HardwareKeyPoint(x: key.x, y: key.y)
      }
    )
  }
}
