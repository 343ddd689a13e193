import AcctConsole
import AcctEngine
import AcctPorts
import ArgumentParser
import StrictJSON

extension KeyringCommand {
  /// Has the keyring in use unlocked.
  struct Unlock: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlock",
      abstract: "Unlock the keyring in use: by the desktop's prompt, or by its passphrase."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let use = LockKeyring(context.engine)
      let keyring = try await use.keyring()
      let seconds = try await use.unlock(keyring)
      return try context.done(keyring, .ready, seconds, unlocked(keyring.kind, for: seconds))
    }
  }

  /// Locks the keyring in use.
  struct Lock: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "lock",
      abstract: "Lock the keyring in use, for all programs that use it."
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let use = LockKeyring(context.engine)
      let keyring = try await use.keyring()
      try await use.lock(keyring)
      return try context.done(keyring, .locked, nil, "\(words(for: keyring.kind)) is locked")
    }
  }
}

/// Says that a keyring is unlocked, and for how many seconds.
func unlocked(_ kind: Keyring.Kind, for seconds: Int?) -> String {
  "\(words(for: kind)) is unlocked" + (seconds.map { ", for \(duration(Int64($0))) after its last use" } ?? "")
}

extension Context {
  fileprivate func done(
    _ keyring: Keyring,
    _ state: Keyring.State,
    _ seconds: Int?,
    _ text: String
  ) throws(EngineError) -> ExitStatus {
    guard options.json else {
      notice(text)
      return .done
    }
    let changed: JSON = [
      "kind": .string(keyring.kind.rawValue), "state": .string(state.rawValue),
      "seconds": seconds.map { .number(JSONNumber(Int64($0))) } ?? .null,
    ]
    try output(envelope(["keyring": changed]))
    return .done
  }
}
