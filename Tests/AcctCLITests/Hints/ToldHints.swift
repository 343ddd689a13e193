/// The hints that have no line of acct's to run, as patterns in which * stands for any text: what a person does elsewhere,
/// or writes otherwise.
///
/// A hint that is new here has to name no command because no command leads out.
enum ToldHints {
  /// The pattern of a hint; `nil` if there is none.
  static func pattern(of hint: String) -> String? { all.first { fits(hint, $0) } }

  /// Whether a hint is of a pattern.
  static func fits(_ hint: String, _ pattern: String) -> Bool {
    fits(hint[...], pattern.split(separator: "*", omittingEmptySubsequences: false))
  }

  private static let all = otherWords + otherFiles + otherPrograms + otherServers + later

  /// The same command with other values or options.
  private static let otherWords = [
    "--format curl prints it for curl -K *", "a token that you have is added without a provider, by *",
    "--device-url URL names its device endpoint; *", "--env *=* names the account that is meant",
    "--issuer URL, beside --resource, names the server to sign in at",
    "--name * replaces it; any other --name adds an account",
    "1 to 253 characters without spaces, not beginning with -",
    "1 to 64 letters, digits, - and _", "a server without metadata is named by its addresses: --token-url URL *",
    "acct export NAME -o FILE", "acct header [METHOD] URL", "acct rename NAME NEW renames one here; nothing was moved",
    "acct switch NAME", "add --new-passphrase-file FILE, --new-key-file FILE, or --drop-shared", "as in *",
    "auto, secret-service, vault, etcd or postgres",
    "--client-key FILE or --cert-key FILE gives a client its key; nothing was stored", "choose another port",
    "choose one with --issuer, beside --resource",
    "confirm it at a terminal, or with --yes", "give --name*", "give --resource exactly as the server writes it, *",
    "give it with *", "give its full name, handle or id", "give its whole path",
    "give the identifier in place of the name", "give the token alone, without a scheme such as Bearer: *",
    "if you trust *, name it with --issuer, beside --resource", "it has *", "it is typed acct add *",
    "leave out --key*", "most often the client, or its redirect address *",
    "leave sslmode out: acct uses verify-full, *", "name another *",
    "name one of them in the URL, *",
    "name it with --role-arn, *", "only you may name such an address, as with --issuer or ACCT_PLC_URL",
    "other programs can read a command line: keep the * in a file, *",
    "put it into a file of your own: --password-file FILE",
    "it is *; `man acct-helper` shows what it takes", "it takes no value; `man acct-helper` shows what it takes",
    "`man acct-helper` shows what it takes",
    "quotes are closed, as in a shell", "run it without --scope, or with --scope *",
    "run the same command again with another --*",
    "set ACCT_KEY_PIN_FILE", "set ACCT_VAULT_KEY_FILE or ACCT_VAULT_PASSPHRASE_FILE for a command without a person",
    "select the account with --account, *", "the accounts are *",
    "the new one takes the place of those that --keep does not name",
    "the scheme Basic (RFC 7617) *", "the sign-in asked for it: run it with --scope *",
    "unset ACCT_KEYRING and try again",
    "who has it would still open it: take another one", "write host, dbname and user out", "write it in UTF-8: *",
    "a variable of the shell may not be set; leave out what is not needed", "let the program name one of them, *",
  ]

  /// Files of the person's.
  private static let otherFiles = [
    "`chmod 600 *`", "`mv -n * *` renames it back", "--import takes JSON; nothing was stored",
    "`rclone config show NAME | acct add --import -` takes one; nothing was stored",
    "a token has visible ASCII characters alone; *",
    "a token's own key goes into dpopKey, *", "add this one anew", "copy it again; nothing was stored",
    "change these lines *", "each folder of the path has to be yours or root's, *",
    "each of its lines is the name of an account; *",
    "nothing was stored; check who wrote the file", "only you may own or write it*",
    "put the passphrase into a file that only you can read, and set *", "remove it, or see `man acct-helper`",
    "remove that block first", "remove the lines with - and add those with + by hand", "restore it, or remove it: *",
    "the file has the token itself",
    "the file of * is not used: *", "restore it from a backup; *",
    "the file of * is damaged: *; restore it from a backup; *",
    "without its key the token can't be used; nothing was stored",
    "make another one of 32 random bytes, *", "`man acct-provider` describes the file",
    "add the guest under another ACCT_HOME, *", "keep acct's files on this machine; *",
    "set provideClusterInfo: true *",
    "set XDG_RUNTIME_DIR to a folder of your own on a tmpfs, or mount one at /dev/shm",
    "the document needs another token", "the document's \"origins\" are where its headers may go",
  ]

  /// Other programs of this machine, and its devices.
  private static let otherPrograms = [
    "`curl -D -` prints them", "`export PATH=*` in your shell's profile", "a link does: `ln -s *", "give the program *",
    "join group tss: *", "log in with the program, or set ACCT_ACCOUNT", "plug it in and try again",
    "put the folder of acct on PATH",
    "see `man acct-helper`*", "start a Secret Service provider, such as gnome-keyring, on the session bus",
    "unlock it on its desktop; *", "set ACCT_KEYRING=vault to keep accounts in a vault, *",
    "unlock it with its own program, *",
    "unlock it and try again: *",
    "the file of * was written by a later version of acct: *",
    "update it", "update acct on this machine*", "wait until it allows another try, or *",
    "unblock it with its PUK or security officer's PIN",
    "what provides it writes a new one in time: check that it runs",
    "sign out of * in the browser, then run the same command again and sign in as *", "turn it on or start it, *",
    "go back to the page where you sign in", "check whether a proxy removes it",
  ]

  /// What a server's operator, or the network, has to do.
  private static let otherServers = [
    "AWS reads its keys over the Internet; try again later",
    "check *", "free space on it, *", "its log has the details", "its process may hang: *", "no account was stored; *",
    "register *", "start the members that are down; nothing was changed",
    "take the removed machine's access to etcd away, *",
    "the role's trust policy says which *", "the server's answer waits on this machine, encrypted: *",
    "nothing was changed*", "nothing was stored", "nothing was wrong with the account; try again*",
    "the server may have renewed the session *", "the stored session is kept; try again later *",
  ]

  /// The same command, later.
  private static let later = [
    "--retry N waits and tries again", "--retry waits for an hour at most", "*resets in *, retry in *",
    "a new guest session does not reset it; wait", "run it again: acct now has what the server asked for; *",
    "run the command again", "run the same command again*", "the accounts are where they were; try again",
    "the limit resets at *",
    "try again*", "close a program that uses it and try again",
  ]

  private static func fits(_ text: Substring, _ parts: [Substring]) -> Bool {
    guard let first = parts.first, text.hasPrefix(first) else { return false }
    guard parts.count > 1 else { return text == first }
    let rest = text.dropFirst(first.count)
    guard let next = parts.dropFirst().first, !next.isEmpty else { return parts.count == 2 }
    var start = rest.startIndex
    while let found = rest[start...].firstRange(of: next) {
      if fits(rest[found.lowerBound...], Array(parts.dropFirst())) { return true }
      start = rest.index(after: found.lowerBound)
    }
    return false
  }
}
