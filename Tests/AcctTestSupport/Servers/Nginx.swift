/// A resource server by nginx, which serves clients with a certificate only, and answers with their subjects.
///
/// It ends when the last reference to it is released.
package final class Nginx: Sendable {
  package let origin: String
  private let folder: TemporaryFolder
  private let process: RunningProcess

  /// Starts it, and returns when it serves.
  ///
  /// - Parameters:
  ///   - own: Its own certificate.
  ///   - authorities: A PEM file of its clients' authorities.
  /// - Throws: ``ProcessFailure`` if it does not start.
  package init(_ own: MadeUpAuthority.Issued, clients authorities: String) async throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let port = try FreePort().number
    origin = "https://localhost:\(port)"
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(folder.path)/\($0);" }
    let configuration = try folder.file(
      "nginx.conf",
      containing: """
        daemon off;
        master_process off;
        pid \(folder.path)/pid;
        error_log stderr notice;
        events {}
        http {
          access_log off;
          \(places.joined(separator: "\n  "))
          server {
            listen 127.0.0.1:\(port) ssl;
            ssl_certificate \(own.certificate);
            ssl_certificate_key \(own.key);
            ssl_client_certificate \(authorities);
            ssl_verify_client on;
            location / {
              default_type text/plain;
              if ($http_authorization = "") { return 401; }
              return 200 $ssl_client_s_dn;
            }
          }
        }

        """
    )
    process = try RunningProcess(ChildProcess("nginx", ["-p", folder.path, "-e", "stderr", "-c", configuration]))
    let errors = process.standardError
    // The port is open before it says so.
    try await process.ready { String(decoding: errors.contents(), as: UTF8.self).contains("OS: ") }
  }
}
