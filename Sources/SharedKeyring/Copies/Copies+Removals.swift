import AcctModel
import AcctPorts
import PrivateFiles

/// The removals that this machine knows of: the generation of each one's trace, in a file of its own, and behind it the
/// trace as the engine has it.
///
/// They outlast the copies: an object that is older than its account's removal was put back.
extension Copies {
  private static let magic = Array("acct-removed".utf8) + [1]

  private static let headCount = magic.count + 8

  private var removed: PrivateFolder { folder.subfolder("removed") }

  /// The generation of the trace that an account's removal has left; `nil` if it is not known to be removed.
  func removal(of id: AccountID) throws(KeyringFailure) -> Int64? {
    guard let contents = try read(id.description, in: removed),
      contents.count >= Self.headCount, contents.starts(with: Self.magic)
    else { return nil }
    let number = contents.span.extracting(Self.magic.count..<Self.headCount).bigEndian64
    guard let generation = Int64(exactly: number), generation > 0 else { return nil }
    return min(generation, SharedObject.lastGeneration)
  }

  /// The trace of a removal, sealed; `nil` if an earlier version of acct noted it without.
  func trace(of id: AccountID) throws(KeyringFailure) -> [UInt8]? {
    guard let contents = try read(id.description, in: removed), contents.count > Self.headCount,
      contents.starts(with: Self.magic)
    else { return nil }
    return Array(contents[Self.headCount...])
  }

  /// Notes a removal, and forgets the copy; under ``alone(_:)``.
  ///
  /// The generation is the trace's, 0 if an earlier version of acct has left none.
  func noteRemoval(of id: AccountID, _ generation: Int64, _ trace: [UInt8]) throws(KeyringFailure) {
    if generation > 0, try removal(of: id) ?? 0 < generation {
      var contents = Self.magic
      contents.append(bigEndian: generation)
      contents += trace
      try write(id.description, contents, in: removed, surviving: true)
    }
    // One that was made again since is a later one.
    if let copy = try copy(of: id), generation > 0, copy.generation > generation { return }
    try remove(id)
  }

  /// The accounts that are known to have been removed, some of which may be there again.
  func removals() throws(KeyringFailure) -> [AccountID] { try accounts(in: removed) }

  /// Forgets all removals, as where another state of the engine is accepted.
  func forgetRemovals() throws(KeyringFailure) {
    for id in try removals() { try remove(id.description, in: removed) }
  }

  /// The copy of an account, and the highest generation that this machine has seen of it.
  func seen(of id: AccountID) throws(KeyringFailure) -> (copy: CopyFile?, SeenGeneration) {
    let copy = try copy(of: id)
    let removal = try removal(of: id) ?? 0
    guard let copy, copy.generation >= removal else { return (copy, SeenGeneration(removal, isRemoval: true)) }
    return (copy, SeenGeneration(copy.generation))
  }
}
