import AcctConsole
import AcctEngine
import AcctFleet
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// The keyring in use, and the one that several machines share.
struct KeyringCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keyring",
    abstract: "Show, unlock or lock the keyring, share one with other machines, or move the accounts.",
    discussion: """
      Several machines share a keyring on etcd or PostgreSQL, which stores ciphertext alone:

        acct keyring create etcd https://a.example:2379 --ca ca.pem --cert me.pem --key me.key
        acct keyring join etcd https://a.example:2379 --ca ca.pem --cert me.pem --key me.key
      """,
    subcommands: [Status.self, Unlock.self, Lock.self] + Fleet.commands,
    defaultSubcommand: Status.self
  )
}

extension KeyringCommand {
  /// Shows which keyring it is, where, and whether it can be used.
  struct Status: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "status",
      abstract: "Show which keyring is used, where it is, and whether it is available.",
      discussion: "Exits with 6 if it is locked, and with 7 if it is not available."
    )

    // An address without its command before it may have a password in it, which the parser would repeat.
    @Argument(help: .hidden)
    var words: [String] = []

    @OptionGroup var options: SharedOptions

    func validate() throws {
      guard words.isEmpty else { throw ValidationError("`acct keyring` has no such command") }
    }

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      var report = try await KeyringReport.of(context.engine, namesParts: true)
      let shared = try SharedReport(completing: &report.standing, context.engine)
      let errorMessage = report.standing.cause.map { ErrorMessage($0).timed(by: context.world.clock) }
      if options.json {
        try context.output(report.json(shared))
        if let errorMessage {
          return ExitStatus(
            rawValue: ErrorReport(world: context.world, asJSON: true).write(errorMessage)
          ) ?? errorMessage.status
        }
        return .done
      }
      guard report.standing.kind != nil || shared.settings != nil else {
        context.notice("no keyring has been chosen yet; the first `acct add` chooses one")
        return .done
      }
      try context.output(
        lines(report.fields(errorMessage) + shared.fields(beside: report.standing.kind), on: context.screen)
      )
      return errorMessage?.status ?? .done
    }
  }
}

extension KeyringReport {
  /// The object of the contract; keys are only ever added.
  fileprivate func json(_ shared: SharedReport) -> JSON {
    .object(
      envelope([
        "keyring": standing.kind.map { kind in
          [
            "kind": .string(kind.rawValue), "state": .init(standing.state?.rawValue),
            "lockedParts": .array(
              lockedParts.map { part in
                ["name": .string(part.name), "accounts": .array(part.accounts.map { .string($0.description) })]
              }
            ),
          ]
        } ?? .null,
        "shared": shared.json(beside: standing.kind),
      ])
    )
  }

  private func shown(_ parts: [(name: String, accounts: [AccountName])]) -> String {
    parts.map { part in
      "\(printable(part.name)), which has the items of \(part.accounts.map(\.description).joined(separator: ", "))"
    }
    .joined(separator: "; ")
  }

  fileprivate func fields(_ errorMessage: ErrorMessage?) -> [Field] {
    [
      Field("keyring", standing.kind?.rawValue ?? "none chosen yet", .strong),
      Field("state", standing.state?.rawValue ?? "", standing.state == .ready ? .plain : .bad),
      Field("locked", shown(lockedParts), .bad),
      Field("problem", errorMessage?.text ?? "", .bad),
      Field("next", errorMessage?.hint ?? (lockedParts.isEmpty ? "" : "`acct keyring unlock` on its desktop")),
    ]
  }
}

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
