import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

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
