package import AcctModel
package import AcctProtocol

/// A login of another program, as the account that it would become.
package struct FoundAccount: Sendable {
  package var program: OtherProgram
  package var login: FoundLogin
  /// The file that names it.
  package var path: String
  /// `true` if the user named that file: the program's own has other logins.
  package var isFileNamed = false

  /// `user@host`; the program's name stands for a user that it does not have.
  ///
  /// A user that only a helper knows is left out until that is asked.
  package var name: String {
    if login.form == .session { return login.place }
    if case .dockerHelper = login.secret { return host }
    return "\(login.user.flatMap { $0.isEmpty ? nil : $0 } ?? program.rawValue)@\(host)"
  }

  /// The host that it is for; for a session, the program's own name of it.
  package var host: String { login.origins.first?.authority ?? login.place }

  /// Returns `true` if a word of the user's names it: its name, its user, its host, or the program's name of its place.
  package func isNamed(_ word: String) -> Bool { [name, login.user, host, login.place].contains(word) }
}

/// The logins of one program.
package struct FoundAccounts: Sendable {
  package var accounts: [FoundAccount] = []
  /// The entries that can't become accounts, with their file.
  package var skipped: [(path: String, login: SkippedLogin)] = []
  /// The files that other users can read.
  package var exposed: [String] = []
}
