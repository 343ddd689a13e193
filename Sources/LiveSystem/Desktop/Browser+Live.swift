package import AcctPorts
import CLinux
import Dispatch
import Glibc

extension Browser {
  /// The browser that the user named, else the desktop's.
  ///
  /// `BROWSER` holds a command, or several with colons between, which are tried in turn until one
  /// works. Spaces separate its words, and no shell reads it. The address takes the place of `%s`,
  /// or stands last. Without it, xdg-open(1) is asked, on a desktop alone.
  ///
  /// The started program belongs to the user and not to this process: it has a session of its own, so that Ctrl-C
  /// does not end it, and gets the environment but for the passphrase's file name.
  ///
  /// - Parameters:
  ///   - hardening: The settings that the program must not inherit.
  ///   - grace: The time that it has to fail; one that is still at work then is a browser.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Returns: The browser.
  package static func live(
    undoing hardening: Hardening,
    failingWithin grace: Duration = .seconds(1),
    _ variable: @escaping @Sendable (_ name: String) -> String?
  ) -> Browser {
    let open = { @Sendable (address: String, named: String?) in
      for command in commands(for: address, named ?? "", variable)
      where await works(command, hardening, failingWithin: grace) { return true }
      return false
    }
    return Browser(
      open: { address in await open(address, variable("BROWSER")) },
      openWith: { address, command in await open(address, command) }
    )
  }
}

private func commands(
  for address: String,
  _ named: String,
  _ variable: (_ name: String) -> String?
) -> [[String]] {
  let named = named.split(separator: ":").map { command in command.split(separator: " ").map(String.init) }
  let commands = named.filter { !$0.isEmpty }.map { words in
    let filled = words.map { $0.replacing("%s", with: address) }
    return filled == words ? words + [address] : filled
  }
  guard commands.isEmpty else { return commands }
  // It would look for browsers that draw on a terminal.
  let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { variable($0) != nil }
  return isDesktop ? [["xdg-open", address]] : []
}

/// Returns `true` if a command ends well, or is still at work when it had its time to fail.
private func works(_ words: [String], _ hardening: Hardening, failingWithin grace: Duration) async -> Bool {
  guard let child = start(words, hardening) else { return false }
  let (verdicts, verdict) = AsyncStream.makeStream(of: Bool.self)
  // A thread of its own, which waits for as long as the browser runs: nothing else would reap it.
  DispatchQueue(label: "acct.browser").async {
    var status: Int32 = 0
    var reaped: pid_t
    repeat { reaped = unsafe waitpid(child, &status, 0) } while reaped < 0 && errno == EINTR
    // If the system was set to reap children itself, their exit status is lost.
    verdict.yield(reaped == child && status == 0)
  }
  let milliseconds = Int(grace / .milliseconds(1))
  DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { verdict.yield(true) }
  for await works in verdicts { return works }
  return true
}

private func start(_ words: [String], _ hardening: Hardening) -> pid_t? {
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  let child = unsafe acct_start_detached(&arguments, "ACCT_VAULT_PASSPHRASE_FILE", hardening.mask, hardening.coreLimit)
  return child > 0 ? child : nil
}
