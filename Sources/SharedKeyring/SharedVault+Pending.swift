import AcctModel
import AcctPorts

extension SharedVault {
  /// Stores the answer that this machine still has for an account, if it has one.
  ///
  /// - Returns: The result of the change; `nil` if there was none.
  /// - Throws: ``KeyringFailure``; the answer is then still there.
  func storePending(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> Change.Outcome? {
    guard let file = try copies.pendingAnswer(of: id) else { return nil }
    let place = session.places.account(id)
    do { try confirm(session, id) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    guard let base = try seal.local.objectIfWhole(file.base.bytes, of: id, at: place),
      let wanted = try seal.local.objectIfWhole(file.bytes, of: id, at: place)
    else { throw copies.unopenedAnswer(of: id) }
    var change = Change(
      account: id,
      base: base,
      version: file.base.version,
      wanted: wanted,
      sealed: try seal.current(file.bytes, wanted, at: place),
      writer: file.writer,
      isAnswer: true,
      replacing: file.replacing
    )
    for bytes in file.earlier {
      guard let earlier = try seal.local.objectIfWhole(bytes, of: id, at: place) else { continue }
      change.alsoSpent.append(earlier.credential)
    }
    let outcome: Change.Outcome
    do { outcome = try commit(change, session, seal) } catch {
      guard case .engine = error else { throw error }
      throw .answerWaits
    }
    try copies.removePending(id)
    return outcome
  }

  /// Keeps a server's answer where another one waits already: both are stored in one step, the later over the earlier.
  ///
  /// It is not known whether the engine has the earlier one by then, because only its own answer was lost; so the
  /// credential that it brought counts as spent, too.
  func keepBesidePending(_ account: SharedAccount, _ session: Session, _ seal: Seal) throws(KeyringFailure) {
    guard !account.items.isUnchanged, var file = try copies.pendingAnswer(of: account.id) else { return }
    let place = session.places.account(account.id)
    guard let earlier = try seal.local.objectIfWhole(file.bytes, of: account.id, at: place) else { return }
    let base: SharedObject
    if let claim = claim(of: account.id) {
      base = claim.object
    } else {
      let copy = try copies.copy(of: account.id) ?? file.base
      base = try seal.local.object(copy.bytes, of: account.id, at: place)
    }
    var mine = base
    mine.name = account.name
    mine.record = account.record
    mine.items = base.changed(by: account.items)
    var wanted = SharedObject.merged(base: base, mine: mine, theirs: earlier, replacing: account.items.isReplacing)
    // The lock of another machine is not this change's to take out.
    wanted.lock = claim(of: account.id) == nil ? earlier.lock : nil
    guard wanted != earlier else { return }
    // Also where this change keeps the credential: the engine's object is then not yet the whole answer.
    let spent = SharedObject(items: earlier.credentialItems)
    file.earlier = file.earlier.suffix(PendingFile.earlierLimit - 1)
    file.earlier.append(try seal.sealed(spent, at: place))
    file.replacing = file.replacing || account.items.isReplacing
    file.bytes = try seal.sealed(wanted, at: place)
    try copies.keepPending(file, of: account.id)
  }

  /// Keeps a change that has an answer of a server in it before the engine is asked to store it: after any
  /// interruption, the next call on this machine stores it first.
  ///
  /// - Returns: `true` if it is kept. Where the disk refuses, the engine may still take it.
  func keepPending(_ change: Change, _ base: CopyFile) -> Bool {
    let file = PendingFile(writer: change.writer, base: base, replacing: change.replacing, bytes: change.sealed.bytes)
    do { try copies.keepPending(file, of: change.account) } catch { return false }
    return true
  }
}
