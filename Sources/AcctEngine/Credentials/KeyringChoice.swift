package import AcctModel
package import AcctPorts

/// Decides once which keyring is used, and keeps to it.
///
/// `ACCT_KEYRING` has precedence. Otherwise the first `add` decides and records the decision; from then on an outage
/// is an outage, and never a reason to use another keyring.
package struct KeyringChoice: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// The keyring that holds the accounts.
  ///
  /// - Throws: ``KeyringError/notChosen(_:)`` if none was ever decided on.
  package func decided() throws(EngineError) -> Keyring {
    if let kind = try chosen() { return keyring(kind) }
    throw .keyring(.notChosen(.never))
  }

  /// The keyring that holds an account: its own, if it has one, else that of all accounts.
  ///
  /// - Throws: ``KeyringError/notChosen(_:)``.
  package func keyring(of account: Account) throws(EngineError) -> Keyring {
    guard let own = account.keptIn.flatMap(Keyring.Kind.init) else { return try decided() }
    return keyring(own)
  }

  /// The keyring that a new account has to record: one other than the shared keyring in use, whose accounts come and
  /// go with the engine, and the process's memory; `nil` for any other account.
  func note(of kind: Keyring.Kind) throws(EngineError) -> String? {
    guard let recorded = try recorded()?.kind, recorded.isShared && recorded != kind || kind == .memory
    else { return nil }
    return kind.rawValue
  }

  /// The keyring for a new account, decided if necessary, but not yet recorded.
  package func proposed() async throws(EngineError) -> Keyring {
    if let kind = try chosen() { return keyring(kind) }
    return await world.secretService.state() == .unavailable
      ? world.vaultKeyring : world.secretService
  }

  /// Why the desktop's keyring can't be reached although the environment names its bus; `nil` without such a bus.
  func deadBus() async -> KeyringFailure? {
    guard world.environment.variable("DBUS_SESSION_BUS_ADDRESS") != nil else { return nil }
    // A state has no reason; reading an item that does not exist returns one.
    do { _ = try await world.secretService.read(world.entropy.accountID(), [.handle], .forbidden) } catch {
      return error
    }
    return nil
  }

  /// The keyring that holds the accounts, if other machines share it; `nil` also if none can be determined.
  func shared() throws(EngineError) -> Keyring? {
    do throws(EngineError) {
      let keyring = try chosen().map(keyring)
      return keyring?.accounts == nil ? nil : keyring
    } catch .keyring(.notChosen) {
      return nil
    } catch .keyring(.unknown) {
      return nil
    }
  }

  /// Records the first decision.
  ///
  /// A decision by `ACCT_KEYRING` counts as well: a user who omits the variable the next time expects to find the
  /// account again.
  package func settle(on kind: Keyring.Kind) throws(EngineError) {
    guard try recorded() == nil else { return }
    try record(KeyringDecision(kind: kind))
  }

  /// Records a decision in place of the last one.
  package func record(_ decision: KeyringDecision) throws(EngineError) {
    do { try world.files.replace(.keyringDecision, decision.bytes) } catch { throw .files(.failed(error)) }
  }

  /// Returns `true` if that is the recorded decision.
  package func isSettled(on kind: Keyring.Kind) throws(EngineError) -> Bool {
    do throws(EngineError) { return try recorded()?.kind == kind } catch .keyring(.notChosen) {
      return false
    }
  }

  /// The keyring of a kind, whether it is chosen or not.
  package func keyring(_ kind: Keyring.Kind) -> Keyring {
    if kind.isShared { return world.sharedKeyring(kind) }
    return kind == .secretService ? world.secretService : world.vaultKeyring
  }

  /// The kind in force; `nil` if none was ever decided on.
  package func chosen() throws(EngineError) -> Keyring.Kind? {
    if let kind = try demanded() {
      if kind.isShared { try requireOwnFiles(of: kind) }
      return kind
    }
    return try recorded()?.kind
  }

  /// Checks that the accounts' files here do not belong to another keyring: they would be taken for accounts that
  /// other machines have removed or changed.
  private func requireOwnFiles(of kind: Keyring.Kind) throws(EngineError) {
    guard let recorded = try recorded()?.kind, recorded != kind else { return }
    let ids: [AccountID]
    do { ids = try world.files.accounts() } catch { throw .files(.failed(error)) }
    guard ids.isEmpty else { throw .keyring(.demanded(kind)) }
  }

  /// The kind that `ACCT_KEYRING` names.
  package func demanded() throws(EngineError) -> Keyring.Kind? {
    guard let text = world.environment.variable("ACCT_KEYRING"), text != "auto" else { return nil }
    guard let kind = Keyring.Kind(rawValue: text) else { throw .keyring(.unknown(text)) }
    return kind
  }

  /// The recorded decision, whatever `ACCT_KEYRING` says.
  package func recorded() throws(EngineError) -> KeyringDecision? {
    let bytes: [UInt8]?
    do { bytes = try world.files.read(.keyringDecision) } catch { throw .files(.failed(error)) }
    guard let bytes else { return nil }
    guard let decision = KeyringDecision(bytes: bytes) else {
      throw .keyring(.notChosen(.malformed))
    }
    return decision
  }
}

/// The file `keyring`: on the first line the keyring that holds the accounts; on the second, if there is one, an
/// unfinished move; after it the copies that such a move may have written.
package struct KeyringDecision: Equatable {
  package var kind: Keyring.Kind
  package var move: Move?
  /// The copies that a move to another keyring may have written there.
  package var written = WrittenCopies()

  /// A move that a later one finishes.
  package enum Move: Equatable {
    /// Some accounts may have been copied to this keyring; they still belong to ``KeyringDecision/kind``.
    case to(Keyring.Kind)
    /// All were moved, and some may still be in this keyring, too.
    case from(Keyring.Kind)
  }

  package init(kind: Keyring.Kind, move: Move? = nil, written: WrittenCopies = WrittenCopies()) {
    self.kind = kind
    self.move = move
    self.written = written
  }

  /// Parses the file; `nil` if it names no keyring.
  init?(bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, let kind = Keyring.Kind(rawValue: String(first)) else { return nil }
    self.kind = kind
    let words = lines.dropFirst().first?.split(separator: " ") ?? []
    guard words.count == 2, let other = Keyring.Kind(rawValue: String(words[1])) else { return }
    switch words[0] {
    case "to":
      move = .to(other)
      written = WrittenCopies(lines: lines.dropFirst(2))
    case "from": move = .from(other)
    default: break
    }
  }

  var bytes: [UInt8] {
    let second =
      switch move {
      case .to(let other): "to \(other.rawValue)\n"
      case .from(let other): "from \(other.rawValue)\n"
      case nil: ""
      }
    return Array("\(kind.rawValue)\n\(second)\(written.lines)".utf8)
  }
}

/// The copies that an unfinished move may have written to a shared keyring, by account.
///
/// No clock shows whether another machine has renewed a copy since an interrupted move: it has, if the copy is not one
/// that this move has written or found.
package struct WrittenCopies: Equatable, Sendable {
  private var states: [AccountID: Set<State>] = [:]

  package init() {}

  /// The members of an account's record that a server's answer changes, as the file has them.
  private struct State: Hashable {
    var validatedAt: Timestamp?
    var expiresAt: Timestamp?

    init(_ account: Account) {
      validatedAt = account.validatedAt
      expiresAt = account.tokenLifetime.expiresAt
    }

    init?(_ words: some Collection<Substring>) {
      guard words.count == 2, let first = words.first, let last = words.dropFirst().first else { return nil }
      do throws(ParseError) {
        validatedAt = first == "-" ? nil : try Timestamp(String(first))
        expiresAt = last == "-" ? nil : try Timestamp(String(last))
      } catch {
        return nil
      }
    }

    var words: String { "\(validatedAt?.description ?? "-") \(expiresAt?.description ?? "-")" }
  }

  /// Notes an account that is about to be written, or was found and is about to be overwritten.
  package mutating func note(_ account: Account) { states[account.id, default: []].insert(State(account)) }

  /// Returns `true` if another machine wrote this copy of an account; `nil` if this move has never noted the account.
  package func areOthers(_ account: Account) -> Bool? { states[account.id].map { !$0.contains(State(account)) } }

  /// Parses the lines of the file; an invalid line is skipped.
  init(lines: some Sequence<Substring>) {
    for line in lines {
      let words = line.split(separator: " ")
      guard let first = words.first, let id = try? AccountID(String(first)), let state = State(words.dropFirst())
      else { continue }
      states[id, default: []].insert(state)
    }
  }

  /// One line for each state of an account, sorted.
  var lines: String { states.flatMap { id, states in states.map { "\(id) \($0.words)\n" } }.sorted().joined() }
}
