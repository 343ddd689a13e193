/// Where a program sends a credential, which decides which accounts may answer it.
package enum HelperReach: Equatable, Sendable {
  /// To the server at the address: each account that has its origin may answer.
  case address
  /// The same, and the program stores logins of its own there: its login answers, or an account that has no other
  /// origin.
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
