import AcctPorts
import CLibCurl
import LoadedCurl

/// libcurl, loaded when the first request needs it.
@safe struct CurlLibrary: @unchecked Sendable {
  /// Function pointers, which never change; it lives as long as the process.
  let table: UnsafePointer<acct_curl>

  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if there is no library that can be used.
  static func loaded() throws(HTTPFailure) -> CurlLibrary {
    do throws(CurlTableFailure) {
      return unsafe CurlLibrary(table: try CurlTable.loaded().functions)
    } catch {
      throw .unsendable(reason: error.reason)
    }
  }
}
