import Glibc

/// A certificate authority of a test's own, with what it has issued, as PEM files.
package struct MadeUpAuthority: Sendable {
  private let folder: TemporaryFolder

  /// Makes an authority, which lives a day.
  ///
  /// - Throws: ``HarnessFailure`` if openssl(1) fails.
  package init() async throws {
    folder = try TemporaryFolder()
    try await run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1"
        + " -subj '/CN=made up' -keyout authority.key -out authority.crt"
    )
  }

  /// The path of its own certificate, by which the others are trusted.
  package var certificate: String { "\(folder.path)/authority.crt" }

  /// A certificate and its key.
  package struct Issued: Sendable {
    /// Paths of PEM files.
    package var certificate: String
    package var key: String
  }

  /// Issues a certificate for both ends of a connection.
  ///
  /// - Parameters:
  ///   - name: Its common name, which etcd takes for a user's.
  ///   - addresses: IP addresses that it is good for, beside `localhost`.
  /// - Returns: The paths of both.
  /// - Throws: ``HarnessFailure`` if openssl(1) fails.
  package func issue(_ name: String, for addresses: [String] = []) async throws -> Issued {
    let names = (["DNS:localhost"] + addresses.map { "IP:\($0)" }).joined(separator: ",")
    _ = try folder.file("\(name).ext", containing: "subjectAltName=\(names)\nextendedKeyUsage=serverAuth,clientAuth\n")
    try await run(
      "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=\(name)'"
        + " -keyout \(name).key -out \(name).csr"
        + " && openssl x509 -req -in \(name).csr -days 1 -CA authority.crt -CAkey authority.key"
        + " -CAcreateserial -extfile \(name).ext -out \(name).crt"
    )
    return Issued(certificate: "\(folder.path)/\(name).crt", key: "\(folder.path)/\(name).key")
  }

  /// Makes a certificate that is its own authority.
  ///
  /// - Parameter name: Its common name.
  /// - Returns: The paths of both files.
  /// - Throws: ``HarnessFailure`` if openssl(1) fails.
  package func selfSigned(_ name: String) async throws -> Issued {
    try await run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -days 1 -subj '/CN=\(name)'"
        + " -keyout \(name)-self.key -out \(name)-self.crt"
    )
    return Issued(certificate: "\(folder.path)/\(name)-self.crt", key: "\(folder.path)/\(name)-self.key")
  }

  private func run(_ commands: String) async throws {
    let made = try await ChildProcess("sh", ["-euc", "umask 077; cd \"$0\"; \(commands)", folder.path])
      .run()
    guard made.status == 0 else { throw HarnessFailure("openssl: \(made.errorText)") }
  }
}
