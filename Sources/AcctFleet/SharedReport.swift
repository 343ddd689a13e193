package import AcctConsole
package import AcctEngine
package import AcctModel
package import AcctPorts
package import FleetPorts
package import StrictJSON

/// The state of the keyring that this machine has joined, whether it is in use or not.
package struct SharedReport: Sendable {
  @Boxed package private(set) var settings: SharedKeyringSettings? = nil
  /// The report of its engine.
  @Boxed private var engine: SharedKeyring.Report? = nil
  /// The accounts for which this machine has an answer to store there, by their names here.
  private var waiting: [AccountName] = []
  /// Who shares it, and what opens it; `nil` while it is locked.
  @Boxed private var members: SharedMembers? = nil

  /// Asks the engine, and notes why the keyring in use, or the shared one, can't be used now.
  ///
  /// - Throws: ``EngineError`` if this machine's files can't be read.
  package init(completing standing: inout KeyringStanding, _ context: EngineContext) throws(EngineError) {
    let shared = context.sharedKeyring
    do {
      settings = try shared.settings()
      if let kind = standing.kind, kind.isShared, settings?.kind != kind {
        standing.cause = .keyring(.failed(.notJoined, kind))
      }
    } catch {
      standing.cause = .keyring(.failed(error, standing.kind ?? .etcd))
    }
    guard let settings else { return }
    let engine: SharedKeyring.Report
    do { engine = try shared.report() } catch {
      // The engine's own error has precedence over that of a state, which has no reason.
      if standing.state != .locked { standing.cause = .keyring(.failed(error, settings.kind)) }
      return
    }
    self.engine = engine
    if standing.kind == settings.kind, let lock = engine.lock {
      standing.state = .locked
      standing.cause = .keyring(.failed(lock, settings.kind))
    }
    waiting = try context.accountStore.listing().accounts.filter { engine.pending.contains($0.id) }.map(\.name)
    if standing.cause == nil {
      // One of the form of earlier versions has no such list.
      do { members = try shared.membership.members(.forbidden) } catch { members = nil }
    }
    if engine.isRolledBack { standing.cause = .keyring(.failed(.rolledBack, settings.kind)) }
  }
}

extension SharedReport {
  /// The object of the contract; keys are only ever added.
  package func json(beside kind: Keyring.Kind?) -> JSON {
    guard let settings else { return .null }
    return [
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
  }

  /// Its lines, where another keyring or none is in use as well.
  package func fields(beside kind: Keyring.Kind?) -> [Field] {
    let isInUse = settings.map { $0.kind == kind } ?? false
    return [
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

  /// The means that this machine does not know.
  private var unknownMeans: String {
    let names = (members?.means ?? []).filter { !$0.isKnown }.map { printableASCII($0.name) }
    return names.isEmpty ? "" : "\(names.joined(separator: ", ")); see `acct keyring machines`"
  }
}
