import AcctModel
import AcctPorts
import CLibPQ

/// A connection string, as far as acct lets it decide.
///
/// Options that libpq would take from the environment instead (`PGHOST`, `PGSSLMODE`, …), or do without, must not
/// weaken the connection: such options are given in full.
struct ConnectionString: Equatable, Sendable {
  /// The options of the string itself, by libpq's names.
  private(set) var options: [String: String]

  /// Parses a string in one of libpq's two forms, words or a URI.
  ///
  /// - Throws: ``SharedStoreFailure``: `untrusted` for an `sslmode` that does not check the server,
  ///   `failed` for a string that is malformed or has a password in it. No reason quotes the string.
  init(parsing text: String, _ library: Library) throws(SharedStoreFailure) {
    var message: UnsafeMutablePointer<CChar>?
    let parsed = unsafe library.call.PQconninfoParse(text, &message)
    // It quotes the string, of which a part may be a password.
    if let message = unsafe message { unsafe library.call.PQfreemem(message) }
    guard let parsed = unsafe parsed else { throw .failed(reason: "the connection string is malformed") }
    defer { unsafe library.call.PQconninfoFree(parsed) }
    options = [:]
    var option = unsafe parsed
    while let name = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val { unsafe options[String(cString: name)] = String(cString: value) }
      unsafe option += 1
    }
    try check()
  }

  private func check() throws(SharedStoreFailure) {
    for name in ["password", "sslpassword"] where options[name] != nil {
      throw .failed(reason: "the connection string contains a password")
    }
    if let mode = options["sslmode"], mode != "verify-full" {
      throw .untrusted(reason: "sslmode=\(printable(mode)) does not verify the server; verify-full does")
    }
  }

  /// The options for libpq for each of the hosts, in their order, without a password.
  ///
  /// libpq itself tries one host after the other, too, but gives each all the time that there is.
  var attempts: [[String: String]] {
    var base = options
    base["sslmode"] = "verify-full"
    // GSSAPI's own encryption would come before TLS, and checks no certificate.
    base["gssencmode"] = "disable"
    base["ssl_min_protocol_version"] = options["ssl_min_protocol_version"] ?? "TLSv1.2"
    // A standby answers with its own state, which may be old.
    base["target_session_attrs"] = "read-write"
    base["application_name"] = "acct"
    base["client_encoding"] = "UTF8"
    // OpenSSL would ask at the terminal for the passphrase of a key that has one; libpq takes "" for none.
    base["sslpassword"] = " "
    let lists = ["host", "hostaddr", "port"].compactMap { name in
      options[name].map { (name, $0.split(separator: ",", omittingEmptySubsequences: false)) }
    }
    let count = lists.filter { $0.0 != "port" }.map(\.1.count).max() ?? 1
    // libpq itself reports lists of different lengths.
    guard count > 1, lists.allSatisfy({ $0.1.count == count || ($0.0 == "port" && $0.1.count == 1) })
    else { return [base] }
    return (0..<count).map { index in
      lists.reduce(into: base) { $0[$1.0] = String($1.1[$1.1.count == 1 ? 0 : index]) }
    }
  }
}
