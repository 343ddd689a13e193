package import CLibCurl
import PrivateFiles

/// libcurl, loaded when the first request of the process needs it.
///
/// Linked, it and its own libraries would double the time that every command takes to start. Loading is this room's
/// because libcurl begins once in a process, for the first adapter that needs it; its functions for transfers, and
/// for sets of them, stand in one table.
@safe package struct CurlTable: @unchecked Sendable {
  /// Function pointers, which never change; it lives as long as the process.
  package let functions: UnsafePointer<acct_curl>

  /// - Throws: ``CurlTableFailure`` if there is no library that can be used.
  package static func loaded() throws(CurlTableFailure) -> CurlTable { try outcome.get() }

  /// Loads it before it is needed; the first request reports that it can't be used.
  package static func preload() { _ = outcome }

  /// Begins to load it on a thread of its own, for a caller that has something else to do before it needs it.
  package static func beginPreloading() { _ = startThread { preload() } }

  private static let outcome: Result<CurlTable, CurlTableFailure> = {
    let table = UnsafeMutablePointer<acct_curl>.allocate(capacity: 1)
    unsafe table.initialize(to: acct_curl())
    if let missing = unsafe acct_curl_load(table) {
      return .failure(CurlTableFailure(reason: unsafe String(cString: missing)))
    }
    return unsafe .success(CurlTable(functions: UnsafePointer(table)))
  }()
}

/// Why libcurl can't be used.
package struct CurlTableFailure: Error, Equatable, Sendable {
  /// In plain words.
  package let reason: String
}
