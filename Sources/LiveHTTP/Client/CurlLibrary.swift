import AcctPorts
import CLibCurl

/// libcurl, loaded when the first request needs it.
///
/// Linked, it and what it needs would double the time that every command takes to start.
@safe struct CurlLibrary: @unchecked Sendable {
  /// Function pointers, which never change; it lives as long as the process.
  let table: UnsafePointer<acct_curl>

  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if there is no library that can be used.
  static func loaded() throws(HTTPFailure) -> CurlLibrary { try outcome.get() }

  private static let outcome: Result<CurlLibrary, HTTPFailure> = {
    let table = UnsafeMutablePointer<acct_curl>.allocate(capacity: 1)
    unsafe table.initialize(to: acct_curl())
    if let missing = unsafe acct_curl_load(table) {
      return .failure(.unsendable(reason: unsafe String(cString: missing)))
    }
    return unsafe .success(CurlLibrary(table: UnsafePointer(table)))
  }()
}
