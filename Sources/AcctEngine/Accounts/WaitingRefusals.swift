package import AcctModel
package import AcctPorts
import Release
import StrictJSON

/// The refusals of this machine, which go into an account's history with the next write of its record.
///
/// A refused command stores nothing in a keyring, so that a program that asks for foreign origins all day costs one small
/// file. Events stay in the file after that write: a history takes none twice. Nothing here fails or delays a command.
package struct WaitingRefusals: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// In seconds; of refusals of one account and origin within it, the first is kept.
  private static let interval: Int64 = 3_600
  /// The most refusals of an account within the interval: other events are not to be lost for them.
  private static let refusalLimit = 10
  /// The most accounts in the file; beyond it, all are forgotten.
  private static let limit = 500

  /// Notes the refusal of an origin; any other error is none.
  ///
  /// Of two processes that write at once, one entry may be lost.
  ///
  /// - Parameters:
  ///   - error: The failure of a command.
  ///   - program: The program that acct answered, if it did.
  package func note(_ error: EngineError, for program: String? = nil) {
    guard case .authorization(.originRefused(let origin, let name, _)) = error,
      let account = try? AccountStore(world).account(named: name.description)
    else { return }
    guard var refusals = known() else { return }
    let now = world.clock.now()
    let history = history(of: account.id, in: refusals)
    let recent = (history.events ?? []).filter { abs(now.seconds(since: $0.time)) < Self.interval }
    guard recent.count < Self.refusalLimit, !recent.contains(where: { $0.origin == origin }) else { return }
    let event = AccountEvent(.refused, at: now, on: world.environment.hostName(), for: program, origin)
    if refusals.count >= Self.limit { refusals = JSONObject() }
    refusals[account.id.description] = .string(history.adding([event]).text)
    write(refusals)
  }

  /// The refusals of an account.
  func events(of id: AccountID) -> [AccountEvent] { history(of: id, in: known() ?? JSONObject()).events ?? [] }

  /// Removes the refusals of an account.
  func forget(_ id: AccountID) {
    guard var refusals = known(), refusals[id.description] != nil else { return }
    refusals[id.description] = nil
    write(refusals)
  }

  private func history(of id: AccountID, in refusals: JSONObject) -> AccountHistory {
    AccountHistory(refusals[id.description]?.stringValue ?? "")
  }

  private func write(_ refusals: JSONObject) {
    let file: JSON = ["version": 1, "refusals": .object(refusals)]
    try? world.files.replace(.refusals, file.serialized())
  }

  /// The refusals; `nil` if they can't be read, or a later version of acct wrote them.
  private func known() -> JSONObject? {
    do throws(FilesFailure) {
      return try world.files.members(of: .refusals)?["refusals"]?.objectValue ?? JSONObject()
    } catch {
      return nil
    }
  }
}

extension EngineContext {
  /// Adds an event of this machine to an account's history, with the refusals that wait for a write.
  ///
  /// The caller stores the account.
  ///
  /// - Parameters:
  ///   - kind: The event.
  ///   - account: The account.
  ///   - origin: The origin that it is about, if it is about one.
  ///   - time: When it was; `nil` for now.
  package func note(
    _ kind: AccountEvent.Kind,
    of account: inout Account,
    at origin: Origin? = nil,
    when time: Timestamp? = nil
  ) {
    let history = account.history.adding(WaitingRefusals(world).events(of: account.id))
    let event = event(kind, at: origin, when: time)
    // One with a time of its own is noted again after a failure, and stays one.
    account.history = time == nil ? history.appending(event) : history.adding([event])
  }

  /// An event on this machine, which happens now unless it has a time of its own.
  package func event(
    _ kind: AccountEvent.Kind,
    for program: String? = nil,
    at origin: Origin? = nil,
    when time: Timestamp? = nil
  ) -> AccountEvent {
    AccountEvent(
      kind,
      at: time ?? world.clock.now(),
      on: world.environment.hostName(),
      for: program ?? self.program,
      origin
    )
  }

  /// Adds the rejection of a renewal to an account's history, unless the record had the same one before.
  package func noteRejection(of account: inout Account, since before: RecordedState) {
    if account.recordedState != before { note(.renewalRefused, of: &account) }
  }
}
