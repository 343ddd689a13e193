package import AcctModel
import Text

/// The URL that a program asks a credential for, and the user if it names one.
package struct HelperTarget: Equatable, Sendable {
  /// The URL; of several that the program's words can mean, the first that an account has counts.
  ///
  /// Empty where the program does not say: then only an account that the user named with the command answers.
  package var urls: [HTTPURL]
  /// The user that the program names; `nil` for any.
  package var user: String?

  package init(_ urls: HTTPURL..., user: String? = nil) {
    self.urls = urls
    self.user = user
  }

  /// The places that the program's words can mean.
  package var places: [Place] { urls.map { Place($0.origin, path: $0.path) } }

  /// Parses a server's URL, or its host and port alone.
  ///
  /// A server without a scheme is at https, and one on this machine can be at http, too.
  ///
  /// - Parameters:
  ///   - server: The server as a program names it.
  ///   - user: The user that the program names.
  /// - Throws: ``ParseError/url``, ``ParseError/refusedURL(_:)``.
  package init(naming server: String, user: String? = nil) throws(ParseError) {
    self.user = user
    guard !server.contains("://") else {
      urls = [try HTTPURL(server)]
      return
    }
    guard server.utf8.allSatisfy(\.isVisibleASCII) else { throw .url }
    let authority = String(server.prefix { $0 != "/" })
    let path = String(server.dropFirst(authority.count))
    urls = [HTTPURL(try Origin(.https, authority: authority), path: path)]
    // Elsewhere than on this machine there is no such origin.
    if let plain = try? Origin(.http, authority: authority) { urls.append(HTTPURL(plain, path: path)) }
  }
}

/// The set of servers to which a program sends a credential; it decides which accounts may answer.
package enum HelperReach: Equatable, Sendable {
  /// To the server at the address: each account that has its origin may answer.
  case address
  /// To the server at the address, at which the program stores logins of its own, too: its login answers, or an
  /// account that has no other origin.
  case registry
  /// Also to servers that the one at the address names: an account answers that the user chose, or whose origin the
  /// user gave.
  case named
  /// Also to servers that a repository at the address names, and a host of repositories has those of others, too: an
  /// account answers that the user chose.
  case namedByRepository

  /// `true` if the program sends the credential on, so that a file in a cloned folder must not choose it.
  package var passesOn: Bool {
    switch self {
    case .address, .registry: false
    case .named, .namedByRepository: true
    }
  }
}
