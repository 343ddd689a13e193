import Foundation

/// A certificate authority that lives for one run of the tests, made by `openssl`.
struct TestAuthority {
  /// PEM, for `SSL_CERT_FILE`.
  let rootsFile: String
  private let folder: String

  /// Made by the first test that asks; its error is every test's that asks.
  static let shared = Result { try TestAuthority() }

  private init() throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "acct-\(UUID())")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    folder = place.path
    // The tests have no end of their own to hang this on.
    atexit {
      guard case .success(let authority) = TestAuthority.shared else { return }
      try? FileManager.default.removeItem(atPath: authority.folder)
    }
    rootsFile = "\(folder)/ca.pem"
    try makeSelfSigned("ca", extensions: ["basicConstraints=critical,CA:TRUE"])
  }

  /// A server's side of TLS with a certificate from this authority.
  ///
  /// - Parameters:
  ///   - names: As `subjectAltName` has them: `DNS:localhost`, `IP:127.0.0.1`.
  ///   - commonName: The subject's.
  ///   - years: From when to when it is valid, from the first of January.
  ///   - newest: The newest version of TLS that the server speaks.
  /// - Returns: What a ``ScriptedServer`` needs.
  /// - Throws: ``Failed`` with the words of `openssl`.
  func server(
    _ names: String,
    commonName: String = "test",
    years: (Int, Int) = (2020, 2049),
    newest: ServerIdentity.Version = .tls13
  ) throws -> ServerIdentity {
    let name = UUID().uuidString
    // A database for each certificate, so that tests need not wait for each other.
    let configuration = """
      [ca]
      default_ca = here
      [here]
      database = \(name).index
      new_certs_dir = .
      certificate = ca.pem
      private_key = ca.key
      default_md = sha256
      rand_serial = yes
      policy = any
      x509_extensions = leaf
      [any]
      commonName = supplied
      [leaf]
      subjectAltName = \(names)
      """
    try configuration.write(toFile: "\(folder)/\(name).cnf", atomically: false, encoding: .utf8)
    try "".write(toFile: "\(folder)/\(name).index", atomically: false, encoding: .utf8)
    try openssl(["req", "-new", "-subj", "/CN=\(commonName)", "-keyout", "\(name).key", "-out", "\(name).csr"] + key)
    try openssl([
      "ca", "-batch", "-notext", "-config", "\(name).cnf", "-in", "\(name).csr", "-out", "\(name).pem", "-startdate",
      "\(years.0)0101000000Z", "-enddate", "\(years.1)0101000000Z",
    ])
    return identity(name, newest: newest)
  }

  /// A server's side of TLS with a certificate that no authority signed.
  func selfSignedServer(_ names: String) throws -> ServerIdentity {
    let name = UUID().uuidString
    try makeSelfSigned(name, extensions: ["subjectAltName=\(names)"])
    return identity(name)
  }

  /// Writes a file beside the certificates and returns its path.
  func file(_ text: String) throws -> String {
    let path = "\(folder)/\(UUID()).txt"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

  private func makeSelfSigned(_ name: String, extensions: [String]) throws {
    try openssl(
      ["req", "-x509", "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-out", "\(name).pem"]
        + key + extensions.flatMap { ["-addext", $0] }
    )
  }

  private func identity(_ name: String, newest: ServerIdentity.Version = .tls13) -> ServerIdentity {
    ServerIdentity(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key", newest: newest)
  }

  private func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = URL(filePath: folder)
    process.standardInput = FileHandle.nullDevice
    let complaints = Pipe()
    process.standardError = complaints
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = try complaints.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(message: String(decoding: text, as: UTF8.self)) }
  }

  /// What `openssl` had to say.
  struct Failed: Error { let message: String }
}
