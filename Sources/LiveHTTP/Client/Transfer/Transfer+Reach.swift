import AcctModel
import AcctPorts
import CLibCurl
import Curl
import Glibc

/// The limit on the addresses that a transfer may connect to, by any name of its host.
///
/// Behind a proxy there is none: the proxy resolves the name, in its own network, and the address that is seen here is
/// the proxy's, which the user chose.
extension Transfer {
  private var isLimited: Bool { message.reach == .publicOnly && route == .direct }

  /// Has libcurl open no socket to an address that is not public.
  func limitReach(_ options: inout HandleOptions, _ data: UnsafeMutableRawPointer) {
    guard isLimited else { return }
    unsafe options.setOpenSocket(data) { data, _, address in
      guard let address = unsafe address, let data = unsafe data else { return CURL_SOCKET_BAD }
      let transfer = unsafe Unmanaged<Transfer>.fromOpaque(data).takeUnretainedValue()
      return unsafe transfer.socket(to: address)
    }
  }

  private func socket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    let target = unsafe IPAddress(acct_curl_address(address))
    guard target?.isPublic == true else {
      // Another address of the same name may be public, and is tried next.
      metInside = true
      return CURL_SOCKET_BAD
    }
    return unsafe acct_curl_socket(address)
  }

  /// Decides whether the request may use its connection: one that is used again was opened for another request.
  func mayReach(_ address: UnsafeMutablePointer<CChar>?) -> Bool {
    guard isLimited else { return true }
    let text = unsafe address.map { unsafe String(cString: $0) } ?? ""
    if IPAddress(text)?.isPublic == true { return true }
    failure = .inside(host: message.url.origin.host)
    return false
  }
}

extension IPAddress {
  /// The address in a socket's; `nil` for another family than IP.
  fileprivate init?(_ address: UnsafePointer<sockaddr>) {
    switch Int32(unsafe address.pointee.sa_family) {
    case AF_INET:
      var inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
      self.init(bytes: unsafe withUnsafeBytes(of: &inner) { unsafe Array($0) })
    case AF_INET6:
      var inner = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
      self.init(bytes: unsafe withUnsafeBytes(of: &inner) { unsafe Array($0) })
    default: return nil
    }
  }
}
