import AcctModel
import AcctPorts

extension SharedVault {
  /// Stores the answer that this machine still has for an account, if it has one.
  ///
  /// - Returns: What became of it; `nil` if there was none.
  /// - Throws: ``KeyringFailure``; the answer is then still there.
  func storePending(
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) -> Change.Outcome? {
    guard let file = try copies.pendingAnswer(of: id) else { return nil }
    let place = session.places.account(id)
    do { try confirm(session) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    let change = Change(
      account: id,
      base: try seal.object(file.base.bytes, at: place),
      version: file.base.version,
      wanted: try seal.object(file.bytes, at: place),
      bytes: file.bytes,
      writer: file.writer,
      isAnswer: true,
      replacing: file.replacing
    )
    let outcome: Change.Outcome
    do { outcome = try commit(change, session, seal) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    try copies.removePending(id)
    return outcome
  }

  /// Keeps a change that has an answer of a server in it before the engine is asked to store it: whatever comes between,
  /// the next call on this machine stores it first.
  ///
  /// - Returns: Whether it is kept. Where the disk refuses, the engine may still take it.
  func keepPending(_ change: Change, _ base: CopyFile) -> Bool {
    let file = PendingFile(
      writer: change.writer,
      base: base,
      replacing: change.replacing,
      bytes: change.bytes
    )
    do { try copies.keepPending(file, of: change.account) } catch { return false }
    return true
  }
}
