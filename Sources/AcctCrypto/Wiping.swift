import COpenSSL

/// Overwrites a buffer that held a secret; the optimizer cannot drop it.
func wipe(_ bytes: inout [UInt8]) {
  unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
  }
}
