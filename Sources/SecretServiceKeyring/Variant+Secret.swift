import AcctModel
import CLibSecret

/// Secrets as byte arrays, `ay`.
///
/// A value made or read here is wiped by ``wipe()``. Out of reach are the messages themselves: GDBus
/// frees the bytes that it has sent and received as they are, and the bus daemon and the provider
/// hold copies for a while. The plain session adds nothing to that: an encrypted one protects only
/// the way over the bus, whose messages no other user can see.
extension Variant {
  /// A byte array that holds a secret.
  static func bytes(_ secret: Secret) -> Variant {
    secret.withBytes { span in
      unsafe span.withUnsafeBufferPointer { buffer in
        let type = unsafe g_variant_type_new("y")
        defer { unsafe g_variant_type_free(type) }
        return unsafe Variant(
          g_variant_new_fixed_array(type, buffer.baseAddress, gsize(buffer.count), 1)
        )
      }
    }
  }

  /// The bytes of a byte array, which are wiped here.
  func takeSecret() -> Secret {
    defer { wipe() }
    return unsafe Secret(buffer)
  }

  /// Overwrites a byte array, which must not be in use elsewhere, with zeros.
  func wipe() {
    guard let base = unsafe buffer.baseAddress else { return }
    unsafe explicit_bzero(UnsafeMutablePointer(mutating: base), buffer.count)
  }

  private var buffer: UnsafeBufferPointer<UInt8> {
    var count: gsize = 0
    let base = unsafe g_variant_get_fixed_array(pointer, &count, 1)
    return unsafe UnsafeBufferPointer(
      start: base?.assumingMemoryBound(to: UInt8.self),
      count: Int(count)
    )
  }
}
