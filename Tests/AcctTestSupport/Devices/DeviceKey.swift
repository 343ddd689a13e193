import AcctPorts
import COpenSSL

/// A P-256 key of a device in memory: it signs a digest, as devices do, and nothing reads it out.
@safe final class DeviceKey: Sendable {
  private nonisolated(unsafe) let key: OpaquePointer

  /// Generates one.
  init?() {
    guard let making = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(making) }
    var key: OpaquePointer?
    guard unsafe EVP_PKEY_keygen_init(making) == 1, unsafe EVP_PKEY_CTX_set_group_name(making, "P-256") == 1,
      unsafe EVP_PKEY_generate(making, &key) == 1, let key = unsafe key
    else { return nil }
    unsafe self.key = key
  }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Its public point.
  var point: HardwareKeyPoint {
    var bytes = [UInt8](repeating: 0, count: 65)
    var count = 0
    unsafe EVP_PKEY_get_octet_string_param(key, "pub", &bytes, bytes.count, &count)
    return HardwareKeyPoint(x: Array(bytes[1..<33]), y: Array(bytes[33..<65]))
  }

  /// r and s, 32 bytes each.
  func sign(_ digest: [UInt8]) -> [UInt8] {
    guard let signing = unsafe EVP_PKEY_CTX_new(key, nil) else { return [] }
    defer { unsafe EVP_PKEY_CTX_free(signing) }
    var signature = [UInt8](repeating: 0, count: 80)
    var count = signature.count
    guard unsafe EVP_PKEY_sign_init(signing) == 1,
      unsafe EVP_PKEY_sign(signing, &signature, &count, digest, digest.count) == 1
    else { return [] }
    // SEQUENCE, then two INTEGERs, each with its length in one byte.
    let rCount = Int(signature[3])
    let r = signature[4..<4 + rCount]
    let sCount = Int(signature[5 + rCount])
    let s = signature[6 + rCount..<6 + rCount + sCount]
    return [r, s].flatMap { number in
      let digits = number.drop { $0 == 0 }
      return Array(repeating: 0, count: 32 - digits.count) + digits
    }
  }
}
