import AcctPorts
import Curl

extension CurlTable {
  /// libcurl for requests, loaded when the first one needs it.
  ///
  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if there is no library that can be used.
  static func loadedForRequests() throws(HTTPFailure) -> CurlTable {
    do throws(CurlTableFailure) { return try loaded() } catch { throw .unsendable(reason: error.reason) }
  }

  /// The failure of a request that needs an option which the library does not know.
  static let tooOld = HTTPFailure.unsendable(reason: "libcurl.so.4 is too old")
}
