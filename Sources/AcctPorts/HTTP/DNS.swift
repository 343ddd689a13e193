/// The Domain Name System, as far as handles need it.
package struct DNS: Sendable {
  /// Asks for the TXT records of a name and returns the resolver's whole answer (RFC 1035).
  ///
  /// Asks the system's resolver, or `ACCT_DNS_SERVER`; takes at most `seconds`.
  package var txt: @Sendable (_ name: String, _ seconds: Int) async throws(DNSFailure) -> [UInt8]

  package init(txt: @escaping @Sendable (_ name: String, _ seconds: Int) async throws(DNSFailure) -> [UInt8]) {
    self.txt = txt
  }
}

/// Why there is no answer; the name may or may not exist.
package enum DNSFailure: Error, Equatable, Sendable {
  /// No resolver answered in time.
  case noAnswer
  /// `ACCT_DNS_SERVER` is not `host:port` with an IP address for the host.
  case badServer(String)
}
