import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Runs a command beside this process, with an account's tokens in files that are replaced before they end.
///
/// Libraries of clouds read such a file again and again, and some keep what they read for ten minutes.
struct RunWithTokenFiles: Sendable {
  let context: EngineContext
  /// Prepared before anything was opened.
  let exec: PreparedExec
  /// The permission to renew.
  let network: TokenProvider.Network

  /// A token that the command reads from a file.
  struct File: Sendable {
    /// The variable that names the file.
    var variable: String
    /// `true` for the ID token.
    var isIDToken: Bool

    fileprivate var name: String { isIDToken ? "id-token" : "token" }
  }

  /// Runs a command to its end, and removes the files.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - files: The files; their tokens are obtained before the program starts.
  ///   - account: The account.
  ///   - url: The URL that the tokens are for, if the user named one.
  ///   - tell: Takes notices, and the reason why a token could not be replaced.
  /// - Returns: The command's exit status; 128 and the signal's number if a signal ended it.
  /// - Throws: ``EngineError`` if it was not run.
  func run(
    _ command: [String],
    _ files: [File],
    as account: Account,
    for url: HTTPURL?,
    tell: @escaping @Sendable (Result<[Notice], EngineError>) -> Void
  ) async throws(EngineError) -> Int32 {
    let tokens = FreshTokens(
      context: context,
      network: network,
      id: account.id,
      url: url,
      program: command.programName
    )
    var kept: [FreshTokens.Kept] = []
    for file in files { kept.append(try await tokens.first(isIDToken: file.isIDToken)) }
    tell(.success(kept.flatMap(\.grant.notices)))
    let folder: HeldFolder
    do { folder = try exec.attended.makeFolder() } catch { throw .exec(.memoryFolder(error)) }
    // After the last replacement, whatever ended the command.
    defer { folder.remove() }
    let paths = files.map { "\(folder.path)/\($0.name)" }
    for (token, path) in zip(kept, paths) { try write(token, to: path) }
    let end: @Sendable () async -> Int32
    do { end = try exec.attended.start(command, Array(zip(files.map(\.variable), paths))) } catch {
      throw .exec(.unusable(error))
    }
    let replacement = Task { [kept] in await replace(kept, at: paths, from: tokens, tell) }
    let status = await end()
    replacement.cancel()
    await replacement.value
    return status
  }

  /// Replaces tokens before they end, until the task is cancelled.
  private func replace(
    _ kept: [FreshTokens.Kept],
    at paths: [String],
    from tokens: FreshTokens,
    _ tell: @Sendable (Result<[Notice], EngineError>) -> Void
  ) async {
    var kept = kept
    while true {
      let now = context.world.clock.now()
      let wait = kept.compactMap { $0.nextAt?.seconds(since: now) }.min() ?? Self.longestWait
      // The time of day may be set meanwhile.
      guard await context.world.clock.sleep(min(max(wait, 1), Self.longestWait)), !Task.isCancelled else { return }
      for index in kept.indices where kept[index].isDue(at: context.world.clock.now()) {
        do throws(EngineError) {
          let next = try await tokens.next(after: kept[index])
          if next.grant.token != kept[index].grant.token { try write(next, to: paths[index]) }
          if !kept[index].hasFailed, next.hasFailed { tell(.success(next.grant.notices)) }
          kept[index] = next
        } catch .cancelled {
          return
        } catch {
          if !kept[index].hasFailed { tell(.failure(error)) }
          kept[index].hasFailed = true
          kept[index].nextAt = context.world.clock.now().adding(seconds: FreshTokens.pause)
        }
      }
    }
  }

  /// In seconds.
  private static let longestWait: Int64 = 60

  private func write(_ token: FreshTokens.Kept, to path: String) throws(EngineError) {
    do { try context.world.secretFiles.write(path, token.released.openedToken, true) } catch {
      throw .input(.secretFile(error))
    }
  }
}

/// An account's tokens, each replaced while at least ten minutes of it, or the half of a shorter life, are left.
private struct FreshTokens: Sendable {
  let context: EngineContext
  let network: TokenProvider.Network
  let id: AccountID
  let url: HTTPURL?
  /// The program that reads the files.
  let program: String?

  /// A token, and when it is replaced.
  struct Kept: Sendable {
    let isIDToken: Bool
    @Boxed var grant: AccessGrant
    /// The token, for the file.
    let released: Released
    /// `nil` for a token without a known end.
    var nextAt: Timestamp?
    /// `true` if it could not be replaced when that was due.
    var hasFailed = false

    func isDue(at now: Timestamp) -> Bool { nextAt.map { $0.seconds(since: now) <= 0 } ?? false }
  }

  /// Seconds until the next attempt after one that brought no token that lives longer.
  static let pause: Int64 = 30

  /// Seconds that a token has left when it is replaced: ten minutes, and one for the renewal.
  private static let margin: Int64 = 660

  /// The token as it is, or a new one if it is due.
  func first(isIDToken: Bool) async throws(EngineError) -> Kept {
    let kept = try await obtained(isIDToken, leaving: nil)
    guard network == .allowed, kept.isDue(at: context.world.clock.now()) else { return kept }
    return try await next(after: kept)
  }

  /// The token after one that is due; the same one, with its notices, if there is no other.
  func next(after kept: Kept) async throws(EngineError) -> Kept {
    let left = kept.nextAt.flatMap { next in kept.grant.expiresAt?.seconds(since: next) }
    var next = try await obtained(kept.isIDToken, leaving: left)
    if next.isDue(at: context.world.clock.now()) {
      next.hasFailed = true
      next.nextAt = context.world.clock.now().adding(seconds: Self.pause)
    }
    return next
  }

  private func obtained(_ isIDToken: Bool, leaving left: Int64?) async throws(EngineError) -> Kept {
    guard let account = try context.accountStore.account(id) else { throw .selection(.noAccounts) }
    let permit: Permit
    do { permit = try account.permit(handingOverFor: url, idToken: isIDToken) } catch { throw .authorization(error) }
    let grant = try await TokenProvider(context, network).grant(to: account, under: permit, leaving: left)
    // Seconds; that of a second token is not known.
    var life: Int64?
    if permit.isForIDToken {
      life = (try? IDToken(grant.token))?.lifetime.lifetime
    } else if permit.purpose == nil {
      life = try context.accountStore.account(id)?.tokenLifetime.lifetime
    }
    var margin = Self.margin
    // The half is what the reader may count on, and a tenth of it is for the renewal.
    if let life, life < 2 * margin { margin = life / 2 + life / 20 }
    let released = try permit.release(grant)
    await UseLog(context).note(account, by: program, at: url?.origin)
    return Kept(
      isIDToken: isIDToken,
      grant: grant,
      released: released,
      nextAt: grant.expiresAt?.adding(seconds: -margin)
    )
  }
}
