import COpenSSL
import Secrets

/// A number of a private key as OpenSSL holds it; wiped at its end.
@safe final class BigNumber {
  let pointer: OpaquePointer

  init(_ number: Secret) throws(CryptoError) {
    // A copy of such a number is wiped with the parameters that it stands in; that of any other is not.
    guard let pointer = unsafe BN_secure_new() else { throw .libraryFailed }
    unsafe self.pointer = pointer
    // What it is multiplied by does not tell it by the time that takes.
    unsafe BN_set_flags(pointer, BN_FLG_CONSTTIME)
    let isRead = number.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), pointer) != nil
      }
    }
    guard isRead else { throw .libraryFailed }
  }

  deinit { unsafe BN_clear_free(pointer) }
}
