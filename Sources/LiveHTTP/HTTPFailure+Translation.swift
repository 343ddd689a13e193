import AcctPorts
import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension HTTPFailure {
  /// Says in this room's words what the libraries below threw.
  ///
  /// Their own descriptions are never passed on: some quote the request.
  init(_ error: any Error, route: Route, host: String) {
    if case .proxied(let proxy) = route, let reason = proxyReason(error, proxy) {
      self = .proxy(reason: reason)
      return
    }
    switch error {
    case is CancellationError: self = .cancelled
    case let error as HTTPClientError: self.init(error)
    case let error as NIOConnectionError: self.init(error, host: host)
    case let error as IOError: self.init(error)
    case let error as NIOSSLError: self.init(error)
    case is NIOSSLExtraError, is HostCheck.WrongHost:
      self = .untrusted(reason: "the certificate is for another host")
    case is BoringSSLError: self = .untrusted(reason: "TLS could not be set up")
    case HTTPParserError.invalidEOFState: self = .closed
    case is HTTPParserError: self = .malformed
    case ChannelError.connectTimeout: self = .unreachable(reason: noAnswer)
    default: self = .closed
    }
  }

  private init(_ error: HTTPClientError) {
    switch error {
    case .cancelled, .requestStreamCancelled: self = .cancelled
    case .deadlineExceeded, .readTimeout, .writeTimeout: self = .timedOut
    case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
      self = .unreachable(reason: noAnswer)
    default: self = .closed
    }
  }

  private init(_ error: NIOConnectionError, host: String) {
    // Each address was tried; the first failure is as good a word as any.
    switch error.connectionErrors.first?.error {
    case let error as IOError: self.init(error)
    case .some: self = .unreachable(reason: noAnswer)
    case nil: self = .unresolved(host: host)
    }
  }

  private init(_ error: IOError) {
    self =
      switch error.errnoCode {
      case ECONNRESET, EPIPE: .closed
      case ECONNREFUSED: .unreachable(reason: "the connection was refused")
      case ENETUNREACH: .unreachable(reason: "the network is unreachable")
      case EHOSTUNREACH: .unreachable(reason: "there is no route to the host")
      case ETIMEDOUT: .unreachable(reason: noAnswer)
      case EACCES, EPERM: .unreachable(reason: "the system does not permit the connection")
      default: .unreachable(reason: "system error \(error.errnoCode)")
      }
  }

  private init(_ error: NIOSSLError) {
    switch error {
    case .handshakeFailed(.sslError(let stack)): self = stack.failure
    case .handshakeFailed: self = .untrusted(reason: handshakeFailed)
    case .unableToValidateCertificate, .noCertificateToValidate, .cannotFindPeerIP:
      self = .untrusted(reason: "the certificate can't be verified")
    case .noSuchFilesystemObject, .failedToLoadCertificate:
      self = .untrusted(reason: "the roots can't be read")
    default: self = .closed
    }
  }
}

extension Error {
  /// Whether this is BoringSSL's refusal of a certificate chain, which tells no reason.
  var isRefusedCertificate: Bool {
    guard case .handshakeFailed(.sslError(let stack)) = self as? NIOSSLError else { return false }
    return stack.mentions("CERTIFICATE_VERIFY_FAILED")
  }
}

extension [BoringSSLInternalError] {
  fileprivate func mentions(_ reason: String) -> Bool {
    contains { $0.description.contains(reason) }
  }

  fileprivate var failure: HTTPFailure {
    if contains(BoringSSLInternalError.eofDuringHandshake) { return .closed }
    if mentions("CERTIFICATE_VERIFY_FAILED") { return .untrusted(reason: refusedCertificate) }
    if mentions("WRONG_VERSION_NUMBER") {
      return .untrusted(reason: "the server does not speak TLS there")
    }
    if mentions("PROTOCOL_VERSION") || mentions("UNSUPPORTED_PROTOCOL") {
      return .untrusted(reason: "the server has no TLS version from 1.2 on")
    }
    return .untrusted(reason: handshakeFailed)
  }
}

/// What is wrong with the proxy, if it is the proxy that failed.
private func proxyReason(_ error: any Error, _ proxy: Proxy) -> String? {
  switch error {
  case let error as HTTPClientError: proxyReason(error, proxy)
  case let error as NIOConnectionError:
    error.connectionErrors.isEmpty
      ? "the name of \(proxy) can't be resolved" : "\(proxy) can't be reached"
  // What is left of SOCKS has types of a library that is not ours to name.
  default:
    String(reflecting: type(of: error)).contains("SOCKS") ? "\(proxy) \(refused)" : nil
  }
}

private func proxyReason(_ error: HTTPClientError, _ proxy: Proxy) -> String? {
  switch error {
  case .proxyAuthenticationRequired:
    proxy.credentials == nil
      ? "\(proxy) asks for a user name and a password"
      : "\(proxy) does not accept the user name and the password"
  case .invalidProxyResponse: "\(proxy) \(refused)"
  case .httpProxyHandshakeTimeout, .socksHandshakeTimeout, .connectTimeout:
    "\(proxy) did not answer in time"
  default: nil
  }
}

private let refused = "refused to connect to the server"
private let noAnswer = "there was no answer"
private let handshakeFailed = "the TLS handshake failed"

/// What is said where the chain itself can't be looked at.
let refusedCertificate = "the certificate is not trusted"
