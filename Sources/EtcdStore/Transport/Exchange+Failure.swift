import AcctModel
import AcctPorts
import CLibCurl
import Curl

extension Exchange {
  /// Translates libcurl's report about a request that failed.
  func setback(_ report: HandleReport) -> Setback {
    let place = request.member.place
    if let flaw { return Setback(flaw, at: place) }
    switch report.code {
    case CURLE_COULDNT_RESOLVE_HOST:
      let host = request.member.origin.host
      return Setback(.unavailable(reason: "the name \(host) can't be resolved"), .anotherMember)
    case CURLE_COULDNT_CONNECT:
      return Setback(.unavailable(reason: "\(place): \(report.unreachable)"), .anotherMember)
    case CURLE_OPERATION_TIMEDOUT: return Setback(.timedOut, .anyMember, mayBeDone: wasSent)
    case CURLE_PEER_FAILED_VERIFICATION:
      return Setback(.untrusted(reason: "\(place): \(report.distrust)"), .anotherMember)
    case CURLE_SSL_CACERT_BADFILE:
      let file = request.identity.authority.map { " from \($0)" } ?? ""
      return Setback(.untrusted(reason: "no certificate can be read\(file)"), .nothing)
    case CURLE_SSL_CERTPROBLEM:
      return Setback(.denied(reason: unusableCertificate), .nothing)
    case CURLE_SSL_CONNECT_ERROR:
      let reason = "\(place) closed the connection in the TLS handshake"
      return refusal(report) ?? Setback(.unavailable(reason: reason), .anyMember)
    default: return refusal(report) ?? closed
    }
  }

  private var closed: Setback {
    let reason = "\(request.member.place) closed the connection"
    return Setback(.unavailable(reason: reason), .anyMember, mayBeDone: wasSent)
  }

  /// The setback that a member reports in a TLS handshake, whose last alert may come after the request was sent.
  private func refusal(_ report: HandleReport) -> Setback? {
    let place = request.member.place
    if report.says("alert") && report.says("certificate", "unknown ca", "access denied") {
      let reason =
        request.identity.certificate.map { "\(place) does not accept the certificate of \($0)" }
        ?? "\(place) wants a certificate of the client"
      return Setback(.denied(reason: reason), .anotherMember)
    }
    if report.saysNoTLS {
      return Setback(.untrusted(reason: "\(place) does not speak TLS"), .anotherMember)
    }
    if report.saysOldTLS {
      return Setback(.untrusted(reason: "\(place) has no TLS version from 1.2 on"), .anotherMember)
    }
    if report.says("handshake failure", "no shared cipher") {
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
