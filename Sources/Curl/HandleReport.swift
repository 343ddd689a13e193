package import CLibCurl
import Glibc

/// libcurl's report about a request that failed.
///
/// libcurl's own words are read only where a code says too little, and are never passed on.
@safe package struct HandleReport {
  package let code: CURLcode
  private let curl: CurlTable
  private let easy: UnsafeMutableRawPointer
  private let memory: LentMemory

  /// - Parameters:
  ///   - code: libcurl's result.
  ///   - curl: The library.
  ///   - easy: The request's handle, which has to last as long as the report.
  ///   - memory: The memory that was lent to the handle.
  package init(_ code: CURLcode, _ curl: CurlTable, _ easy: UnsafeMutableRawPointer, _ memory: LentMemory) {
    self.code = code
    self.curl = curl
    unsafe self.easy = easy
    self.memory = memory
  }

  package func number(_ info: CURLINFO) -> Int { unsafe acct_curl_get_long(curl.functions, easy, info) }

  /// `true` if libcurl's words about the failure contain one of these.
  package func says(_ words: String...) -> Bool {
    let said = memory.errorText
    return words.contains { said.contains($0) }
  }

  /// `true` if the server answered the TLS handshake in another protocol.
  package var saysNoTLS: Bool { says("wrong version number", "packet length too long", "record layer failure") }

  /// `true` if the server has only versions of TLS that are too old.
  package var saysOldTLS: Bool { says("protocol version", "unsupported protocol") }

  /// The reason not to trust the server's certificate: X509_V_ERR_…, of OpenSSL's x509_vfy.h.
  package var distrust: String {
    switch number(CURLINFO_SSL_VERIFYRESULT) {
    case 9: "the certificate is not valid yet"
    case 10: "the certificate has expired"
    case 0, 62, 64: "the certificate is for another host"
    case 2, 18, 19, 20, 21, 27: "the certificate is self-signed, or its issuer is not trusted"
    default: "the certificate is not trusted"
    }
  }

  /// The reason why no connection could be made.
  package var unreachable: String {
    let number = Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO))
    return switch number {
    case ECONNREFUSED: "the connection was refused"
    case ENETUNREACH: "the network is unreachable"
    case EHOSTUNREACH: "there is no route to the host"
    case EACCES, EPERM: "the system does not permit the connection"
    case ETIMEDOUT, 0: Self.noAnswer
    default: "system error \(number)"
    }
  }

  package static let noAnswer = "there was no answer"
}
