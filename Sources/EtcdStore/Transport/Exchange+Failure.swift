import AcctModel
import AcctPorts
import CLibCurl
import Glibc
import LoadedCurl

extension Exchange {
  /// Translates libcurl's report about a request that failed.
  ///
  /// libcurl's own words are read only where a code says too little, and are never passed on.
  func setback(_ code: CURLcode, _ easy: UnsafeMutableRawPointer) -> Setback {
    let place = request.member.place
    if let flaw { return Setback(flaw, at: place) }
    func number(_ info: CURLINFO) -> Int { unsafe acct_curl_get_long(curl.functions, easy, info) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      let host = request.member.origin.host
      return Setback(.unavailable(reason: "the name \(host) can't be resolved"), .anotherMember)
    case CURLE_COULDNT_CONNECT:
      let reason = unreachable(Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)))
      return Setback(.unavailable(reason: "\(place): \(reason)"), .anotherMember)
    case CURLE_OPERATION_TIMEDOUT: return Setback(.timedOut, .anyMember, mayBeDone: wasSent)
    case CURLE_PEER_FAILED_VERIFICATION:
      let reason = distrust(number(CURLINFO_SSL_VERIFYRESULT))
      return Setback(.untrusted(reason: "\(place): \(reason)"), .anotherMember)
    case CURLE_SSL_CACERT_BADFILE:
      let file = request.identity.authority.map { " from \($0)" } ?? ""
      return Setback(.untrusted(reason: "no certificate can be read\(file)"), .nothing)
    case CURLE_SSL_CERTPROBLEM:
      return Setback(.denied(reason: unusableCertificate), .nothing)
    case CURLE_SSL_CONNECT_ERROR:
      let reason = "\(place) closed the connection in the TLS handshake"
      return refusal ?? Setback(.unavailable(reason: reason), .anyMember)
    default: return refusal ?? closed
    }
  }

  private func says(_ words: String...) -> Bool {
    let said = memory.errorText
    return words.contains { said.contains($0) }
  }

  private var closed: Setback {
    let reason = "\(request.member.place) closed the connection"
    return Setback(.unavailable(reason: reason), .anyMember, mayBeDone: wasSent)
  }

  /// The setback that a member reports in a TLS handshake, whose last alert may come after the request was sent.
  private var refusal: Setback? {
    let place = request.member.place
    if says("alert") && says("certificate", "unknown ca", "access denied") {
      let reason =
        request.identity.certificate.map { "\(place) does not accept the certificate of \($0)" }
        ?? "\(place) wants a certificate of the client"
      return Setback(.denied(reason: reason), .anotherMember)
    }
    if says("wrong version number", "packet length too long", "record layer failure") {
      return Setback(.untrusted(reason: "\(place) does not speak TLS"), .anotherMember)
    }
    if says("protocol version", "unsupported protocol") {
      return Setback(.untrusted(reason: "\(place) has no TLS version from 1.2 on"), .anotherMember)
    }
    if says("handshake failure", "no shared cipher") {
      return Setback(.untrusted(reason: "\(place): the TLS handshake failed"), .anotherMember)
    }
    return nil
  }

  private var unusableCertificate: String {
    let identity = request.identity
    let files = [identity.certificate, identity.key].compactMap(\.self)
    return "the client's certificate or key can't be used (\(files.joined(separator: ", ")))"
  }
}

/// X509_V_ERR_…, of OpenSSL's x509_vfy.h.
private func distrust(_ number: Int) -> String {
  switch number {
  case 9: "the certificate is not valid yet"
  case 10: "the certificate has expired"
  case 0, 62, 64: "the certificate is for another host"
  case 2, 18, 19, 20, 21, 27: "the certificate is self-signed, or its issuer is not trusted"
  default: "the certificate is not trusted"
  }
}

private func unreachable(_ number: Int32) -> String {
  switch number {
  case ECONNREFUSED: "the connection was refused"
  case ENETUNREACH: "the network is unreachable"
  case EHOSTUNREACH: "there is no route to the host"
  case EACCES, EPERM: "the system does not permit the connection"
  case ETIMEDOUT, 0: "there was no answer"
  default: "system error \(number)"
  }
}
