import AcctPorts
import CLibSecret

/// libsecret's functions and GLib's, loaded on first use and for good.
///
/// - Throws: `KeyringFailure.locked` where there is no libsecret to prompt with.
func loadedLibsecret() throws(KeyringFailure) -> acct_libsecret {
  guard let table = unsafe table else {
    throw .locked(reason: "libsecret, by which it would be unlocked, is not installed")
  }
  return table
}

nonisolated(unsafe) private let table: acct_libsecret? = {
  unsafe withUnsafeTemporaryAllocation(of: acct_libsecret.self, capacity: 1) { table in
    guard let place = table.baseAddress, unsafe acct_libsecret_load(place) != 0 else { return nil }
    return unsafe place.pointee
  }
}()
