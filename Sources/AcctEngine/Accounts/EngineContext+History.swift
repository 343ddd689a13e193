import AcctModel
import AcctPorts

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
  func note(_ kind: AccountEvent.Kind, of account: inout Account, at origin: Origin? = nil, when time: Timestamp? = nil)
  {
    let event = event(kind, at: origin, when: time)
    account.history = account.history.adding(WaitingRefusals(world).events(of: account.id) + [event])
  }

  /// An event on this machine, which happens now unless it has a time of its own.
  func event(_ kind: AccountEvent.Kind, at origin: Origin? = nil, when time: Timestamp? = nil) -> AccountEvent {
    AccountEvent(kind, at: time ?? world.clock.now(), on: world.environment.hostName(), for: program, origin)
  }

  /// Adds the rejection of a renewal to an account's history, unless the record had the same one before.
  func noteRejection(of account: inout Account, since before: RecordedState) {
    if account.recordedState != before { note(.renewalRefused, of: &account) }
  }
}
