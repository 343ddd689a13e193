import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

extension KeyringCommand {
  /// Lets a machine in.
  struct Approve: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "approve",
      abstract: "Let in the machine that shows a code.",
      discussion: "A code is good once, and for ten minutes."
    )

    @Argument(help: "The code that the other machine shows.")
    var code: String

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let name = try ShareKeyring(context.engine).approve(code)
      if options.json {
        try context.output(envelope(["approved": .string(name)]))
      } else {
        context.notice("\(printableASCII(name)) shares the keyring now")
      }
      return .done
    }
  }

  /// Lists the machines, and what opens the keyring.
  struct Machines: AcctCommand {
    static let configuration = CommandConfiguration(
      commandName: "machines",
      abstract: "List the machines that share the keyring, and everything that opens it.",
      discussion: """
        The machines are those with keys of their own, and those that have written an account with the passphrase or \
        key file. What opens the keyring is listed with the machine that added it, as far as a signature shows that.
        """
    )

    @OptionGroup var options: SharedOptions

    func run(in context: Context) async throws(EngineError) -> ExitStatus {
      let members = try ShareKeyring(context.engine).members()
      if options.json {
        try context.output(
          envelope([
            "machines": .array(members.machines.map(\.json)), "means": .array(members.means.map(\.json)),
          ])
        )
        return .done
      }
      let now = context.world.clock.now()
      try context.output(table(of: members.machines, now).lines(on: context.screen))
      try context.output("")
      try context.output(table(of: members.means, now).lines(on: context.screen))
      return .done
    }

    private func table(of machines: [SharedMachine], _ now: Timestamp) -> Table {
      Table(
        columns: [
          Table.Column(""), Table.Column("NAME"), Table.Column("SINCE", rank: 1), Table.Column("LAST SEEN"),
          Table.Column("ACCT", rank: 0), Table.Column("OPENS WITH", rank: 2),
        ],
        rows: machines.map { machine in
          [
            machine.isThis ? "*" : " ",
            Cell(printableASCII(machine.name), machine.isThis ? .strong : .plain),
            Cell(machine.since.map(day) ?? "-"),
            Cell(machine.lastSeen.map { relative(Timestamp(clamped: $0), to: now) } ?? "-"),
            Cell(machine.version.map(printable) ?? "-", .faint),
            Cell(machine.keyPlace == .tpm ? "its TPM" : words(for: machine.recipient)),
          ]
        }
      )
    }

    private func table(of means: [SharedMeans], _ now: Timestamp) -> Table {
      Table(
        columns: [
          Table.Column(""), Table.Column("OPENED BY"), Table.Column("SINCE", rank: 1), Table.Column("ADDED BY"),
          Table.Column("LAST USED", rank: 2), Table.Column("HELD BY", rank: 0),
        ],
        rows: means.map { means in
          [
            Cell(means.isKnown ? " " : "?", .bad),
            Cell(printableASCII(means.name), means.isKnown ? .plain : .bad),
            Cell(means.since.map(day) ?? "-"),
            Cell(means.addedBy.map(printableASCII) ?? "unknown"),
            Cell(means.lastUsed.map { relative(Timestamp(clamped: $0), to: now) } ?? "-"),
            Cell(means.knownHolders.isEmpty ? "-" : means.knownHolders.map(printableASCII).joined(separator: ", ")),
          ]
        }
      )
    }
  }
}

/// The time in seconds since 1970, as JSON has it.
private func time(_ seconds: Int64?) -> JSON { JSON(seconds.map { Timestamp(clamped: $0).description }) }

extension SharedMachine {
  /// The object of the contract; keys are only ever added.
  fileprivate var json: JSON {
    [
      "id": .string(id),
      "name": .string(name),
      "since": time(since),
      "lastSeen": time(lastSeen),
      "acct": JSON(version),
      "recipient": .string(recipient.rawValue),
      "key": JSON(keyPlace?.rawValue),
      "this": .bool(isThis),
    ]
  }
}

extension SharedMeans {
  /// The object of the contract; keys are only ever added.
  var json: JSON {
    [
      "id": .string(id),
      "kind": .string(kind.rawValue),
      "name": .string(name),
      "since": time(since),
      "addedBy": JSON(addedBy),
      "keptBy": .array(keptBy.map(JSON.string)),
      "lastUsed": time(lastUsed),
      "knownHolders": .array(knownHolders.map(JSON.string)),
      "own": .bool(isOwn),
      "known": .bool(isKnown),
      "listed": .bool(isListed),
    ]
  }
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
      let report = try await KeyringReport.of(context.engine, namesParts: true)
      let errorMessage = report.cause.map { ErrorMessage($0).timed(by: context.world.clock) }
      if options.json {
        try context.output(report.json)
        if let errorMessage {
          return ExitStatus(
            rawValue: ErrorReport(world: context.world, asJSON: true).write(errorMessage)
          ) ?? errorMessage.status
        }
        return .done
      }
      guard report.kind != nil || report.settings != nil else {
        context.notice("no keyring has been chosen yet; the first `acct add` chooses one")
        return .done
      }
      try context.output(lines(report.fields(errorMessage), on: context.screen))
      return errorMessage?.status ?? .done
    }
  }
}

extension KeyringReport {
  /// The object of the contract; keys are only ever added.
  fileprivate var json: JSON {
    .object(
      envelope([
        "keyring": kind.map { kind in
          [
            "kind": .string(kind.rawValue), "state": .init(state?.rawValue),
            "lockedParts": .array(
              lockedParts.map { part in
                ["name": .string(part.name), "accounts": .array(part.accounts.map { .string($0.description) })]
              }
            ),
          ]
        } ?? .null,
        "shared": settings.map { settings in
          [
            "kind": .string(settings.kind.rawValue),
            "name": .string(settings.name),
            "endpoints": settings.endpoints.map { .array($0.map(JSON.string)) } ?? .null,
            "connection": .init(settings.connection),
            "inUse": .bool(kind == settings.kind),
            "identifier": .init(engine?.standing.identifier),
            "rolledBack": engine.map { .bool($0.isRolledBack) } ?? .null,
            "accounts": engine.map { .number(JSONNumber(Int64($0.accounts))) } ?? .null,
            "pending": engine.map { .array($0.pending.map { .string($0.description) }) } ?? .null,
            "keyChanging": engine.map { .bool($0.isChangingKey) } ?? .null,
            "means": members.map { .array($0.means.map(\.json)) } ?? .null,
          ]
        } ?? .null,
      ])
    )
  }

  /// The means that this machine does not know.
  private var unknownMeans: String {
    let names = (members?.means ?? []).filter { !$0.isKnown }.map { printableASCII($0.name) }
    return names.isEmpty ? "" : "\(names.joined(separator: ", ")); see `acct keyring machines`"
  }

  private func shown(_ parts: [(name: String, accounts: [AccountName])]) -> String {
    parts.map { part in
      "\(printable(part.name)), which has the items of \(part.accounts.map(\.description).joined(separator: ", "))"
    }
    .joined(separator: "; ")
  }

  fileprivate func fields(_ errorMessage: ErrorMessage?) -> [Field] {
    let isInUse = settings.map { $0.kind == kind } ?? false
    return [
      Field("keyring", kind?.rawValue ?? "none chosen yet", .strong),
      Field("state", state?.rawValue ?? "", state == .ready ? .plain : .bad),
      Field("locked", shown(lockedParts), .bad),
      Field("problem", errorMessage?.text ?? "", .bad),
      Field("next", errorMessage?.hint ?? (lockedParts.isEmpty ? "" : "`acct keyring unlock` on its desktop")),
      Field(
        "shared",
        settings.map { settings in
          "\(settings.name) on \(settings.kind.rawValue)"
            + (isInUse ? "" : "; not in use: `acct keyring move \(settings.kind.rawValue)`")
        } ?? ""
      ),
      Field("members", settings?.endpoints?.joined(separator: " ") ?? ""),
      Field("connection", settings?.connection ?? ""),
      Field(
        "key",
        engine?.isChangingKey == true ? "a change was begun and not ended; `acct keyring rekey` ends it" : ""
      ),
      Field("opened by", members?.means.map { printableASCII($0.name) }.joined(separator: ", ") ?? ""),
      Field("not known", unknownMeans, .bad),
      Field("accounts", engine.map { "\($0.accounts)" } ?? ""),
      Field("to store", waiting.isEmpty ? "" : "answers for \(waiting.map(\.description).joined(separator: ", "))"),
    ]
  }
}
