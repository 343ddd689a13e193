import AcctEngine
package import AcctModel
import AcctProtocol

/// A login of another program, as the account that it would become.
package struct FoundAccount: Sendable {
  package var program: OtherProgram
  @Boxed package var login: FoundLogin
  /// The file that names it.
  package var path: String
  /// `true` if the user named the file: it need not be the one that the program uses.
  package var isFileNamed: Bool

  package init(program: OtherProgram, login: FoundLogin, path: String, isFileNamed: Bool = false) {
    self.program = program
    self.login = login
    self.path = path
    self.isFileNamed = isFileNamed
  }

  /// `user@place`; the program's name stands for a user that it does not have.
  ///
  /// A user that only a helper knows is left out until that is asked, and so is a token in the user's place.
  package var name: String {
    let place = login.places.first?.name ?? login.place
    if login.form == .session { return login.place }
    if case .dockerHelper = login.secret { return place }
    if case .userIsToken = login.form { return place }
    return "\(login.user.flatMap { $0.isEmpty ? nil : $0 } ?? program.rawValue)@\(place)"
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
