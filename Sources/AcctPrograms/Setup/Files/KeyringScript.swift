import AcctProtocol
package import Secrets

/// A command `keyring` that is acct, for pip and others that run one of that name.
package enum KeyringScript {
  package static let text = "#!/bin/sh\nexec acct helper keyring \"$@\"\n"

  /// Returns `true` for a script that runs acct, also one that a user has written.
  package static func isOne(_ contents: Secret) -> Bool { contents.shownText.contains("acct helper keyring") }
}
