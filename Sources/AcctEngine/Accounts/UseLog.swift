package import AcctModel
import AcctPorts
import Synchronization

/// The uses of accounts on this machine: which program got a credential, and for which origin, once an hour.
///
/// An empty file marks a use that is noted, so that the usual command makes one system call here. Nothing here fails a
/// command: a use that can't be noted is left out.
package struct UseLog: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The longest wait for another process, in seconds.
  private static let timeout = 1

  /// Notes that an account's credential was used.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - program: The program that gets the credential; `nil` for the one that acct answers, or else the one that started
  ///     acct.
  ///   - origin: The origin of the request, if that is known.
  package func note(_ account: Account, by program: String? = nil, at origin: Origin?) async {
    let world = context.world
    let program = program ?? context.program ?? world.environment.parent()
    let mark = Self.mark(account.id, world.clock.now(), program, origin)
    do {
      guard try world.files.read(mark) == nil else { return }
      let held = try await world.files.lock(.uses, Self.timeout)
      defer { held.release() }
      // An account that was removed meanwhile must not leave a trace behind.
      guard try world.files.read(.account(account.id)) != nil else { return }
      let use = context.event(.used, for: program, at: origin)
      let known = uses(of: account.id)
      let uses = known.adding(use)
      if uses != known { try world.files.replace(.uses(account.id), Array(uses.text.utf8)) }
      try world.files.replace(mark, [])
      for old in known.events where old.time.hour != use.time.hour { try remove(mark: old, of: account.id) }
    } catch {
      context.tell(.useNotNoted(account.name, because: .files(.failed(error))))
    }
  }

  /// The last uses of an account; none if they can't be read.
  package func uses(of id: AccountID) -> AccountUses {
    guard let bytes = try? context.world.files.read(.uses(id)) else { return AccountUses() }
    return AccountUses(String(decoding: bytes, as: UTF8.self))
  }

  /// Removes the uses of an account.
  func forget(_ id: AccountID) {
    for use in uses(of: id).events { try? remove(mark: use, of: id) }
    try? context.world.files.remove(.uses(id))
  }

  private func remove(mark use: AccountEvent, of id: AccountID) throws(FilesFailure) {
    let mark = Self.mark(id, use.time, use.program, use.origin)
    if try context.world.files.read(mark) != nil { try context.world.files.remove(mark) }
  }

  /// The mark of a use: the hour, and a hash (FNV-1a) of program and origin.
  private static func mark(_ id: AccountID, _ time: Timestamp, _ program: String?, _ origin: Origin?) -> StoredFile {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = hash &* 0x100_0000_01b3
    }
    add(AccountEvent.word(program) ?? "")
    if let origin { add(origin.description) }
    return .useMark(id, String(time.hour) + "-" + String(hash, radix: 16))
  }
}

/// The uses that a process has noted in the last hour, so that it need not look for their marks at each request.
package final class NotedUses: Sendable {
  private struct Noted {
    var hour: Int64 = 0
    var uses: [Origin: Set<AccountID>] = [:]
  }

  private let noted = Mutex(Noted())

  package init() {}

  /// Returns `true` for the first use of an account at an origin within the hour of a time.
  package func isFirst(of id: AccountID, at origin: Origin, _ time: Timestamp) -> Bool {
    noted.withLock { noted in
      if noted.hour != time.hour { noted = Noted(hour: time.hour) }
      return noted.uses[origin, default: []].insert(id).inserted
    }
  }
}
