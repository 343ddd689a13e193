import AcctPorts
import CLibPQ

/// libpq, loaded when the first call needs it, and never unloaded.
///
/// Linked, it and its own libraries (OpenSSL, Kerberos, LDAP) would be loaded at every start.
@safe struct Library: @unchecked Sendable {
  /// Function pointers, which never change.
  let call: acct_libpq

  /// - Throws: ``SharedStoreFailure/unavailable(reason:)`` if there is no library that can be used.
  static func loaded() throws(SharedStoreFailure) -> Library { try outcome.get() }

  private static let outcome: Result<Library, SharedStoreFailure> =
    unsafe withUnsafeTemporaryAllocation(of: acct_libpq.self, capacity: 1) { table in
      guard let place = table.baseAddress else { return .failure(.unavailable(reason: "out of memory")) }
      if let missing = unsafe acct_libpq_load(place) {
        return .failure(.unavailable(reason: unsafe String(cString: missing)))
      }
      return unsafe .success(Library(call: place.pointee))
    }
}
