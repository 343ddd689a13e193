import AcctModel
import AcctPorts
import CLibCurl
import Curl

/// The certificate that a transfer presents to a server that asks for one.
extension Transfer {
  /// The time for a person to give a PIN and to touch a token, in seconds.
  static let deviceTimeout = 120

  /// `true` if a device signs in the handshake, and a person may have to be waited for.
  var usesDevice: Bool { if case .device? = message.identity?.key { true } else { false } }

  func setIdentity(_ options: inout HandleOptions) {
    guard let identity = message.identity else { return }
    switch identity.key {
    case .pem(let key): options.setIdentity(certificate: identity.certificate, key: key)
    case .device:
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe options.setIdentity(certificate: identity.certificate, device: data) { data, digest, signature in
        guard let data = unsafe data, let digest = unsafe digest, let signature = unsafe signature else { return 0 }
        let transfer = unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
        guard let made = unsafe transfer.sign(Array(UnsafeBufferPointer(start: digest, count: 32))) else { return 0 }
        for (index, byte) in made.enumerated() { unsafe signature[index] = byte }
        return 1
      }
    }
  }

  /// Has the device sign a digest of 32 bytes, and waits for it; `nil` if it does not.
  private func sign(_ digest: [UInt8]) -> [UInt8]? {
    guard case .device(let sign)? = message.identity?.key else { return nil }
    defer { lastProgress = .now }
    let signed: Result<[UInt8], HardwareKeyFailure> = WaitingExecutor().run {
      do throws(HardwareKeyFailure) { return .success(try await sign(digest)) } catch { return .failure(error) }
    }
    switch signed {
    case .success(let signature) where signature.count == 64: return signature
    case .success(let signature):
      failure = .device(.malformedReply(reason: "a signature of \(signature.count) bytes"))
    case .failure(let error): failure = .device(error)
    }
    return nil
  }
}
