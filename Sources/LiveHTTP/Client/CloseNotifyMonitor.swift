import CLibCurl
import Synchronization

/// The TLS sessions whose end marks the end of a body, and whether the server closed them properly.
///
/// An attacker on the way could cut such a body short. libcurl takes the end of the connection for
/// the end of the body whether it was announced within TLS (RFC 8446, section 6.1) or not;
/// OpenSSL's information callback, which has no data of its own, distinguishes the two.
enum CloseNotifyMonitor {
  private static let sessions = Mutex<[Int: Bool]>([:])

  /// Listens for the close_notify of a transfer's session from now on.
  static func listen(for session: UnsafeRawPointer) { sessions.withLock { $0[Int(bitPattern: session)] = false } }

  /// Returns `true` if the alert has come, and stops listening.
  static func heard(from session: UnsafeRawPointer) -> Bool {
    sessions.withLock { $0.removeValue(forKey: Int(bitPattern: session)) ?? false }
  }

  /// The information callback of every connection.
  static let callback: @convention(c) (UnsafeRawPointer?, Int32, Int32) -> Void = {
    session,
    place,
    value in
    guard acct_curl_is_goodbye(place, value) != 0 else { return }
    let session = Int(bitPattern: session)
    sessions.withLock { sessions in
      if sessions[session] != nil { sessions[session] = true }
    }
  }
}
