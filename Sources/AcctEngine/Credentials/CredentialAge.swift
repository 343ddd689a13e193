package import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import Release

/// The age of tokens, as far as it is known.
///
/// A refresh token that has been used ends its session at the next attempt, so an import of tokens from before a renewal
/// would end the session that the renewal began.
struct CredentialAge {
  /// The token's `iat`: both are of one server, and of one clock.
  private let issuedAt: Timestamp?
  /// When the server gave or confirmed them, by the clock of the machine that asked it.
  private let confirmedAt: Timestamp?
  /// The end that the token or its server states.
  private let end: Timestamp?
  /// When they were stored, by the clock of the machine.
  private let storedAt: Timestamp?

  /// - Parameters:
  ///   - account: The account that has the token.
  ///   - token: The token.
  ///   - storedAt: When it was stored.
  ///   - now: The time; what a clock that was ahead has written after it says nothing.
  init(of account: Account, _ token: Secret, storedAt: Timestamp?, at now: Timestamp) {
    let claims = (try? Token(token)).flatMap { try? JWT.decode($0).claims }
    issuedAt = claims?.issuedAt
    confirmedAt = account.validatedAt.flatMap { $0 > now ? nil : $0 }
    let lifetime = account.tokenLifetime
    // An end that was computed from a lifetime is known only if the server's answer came to acct; and one that the user
    // gave says nothing about the token's age.
    let isStated = account.validatedAt == nil ? lifetime.lifetime == nil : confirmedAt != nil
    end = claims?.expiry ?? (isStated && account.kind != .static ? lifetime.expiresAt : nil)
    self.storedAt = storedAt
  }

  /// Returns `true` if these tokens are newer than others, `false` if they are older; `nil` if that is not known.
  func isNewer(than other: CredentialAge) -> Bool? {
    // A check confirms tokens that are older, too: it counts only where no note says when they were given.
    let pairs = [
      (issuedAt, other.issuedAt), (storedAt ?? confirmedAt, other.storedAt ?? other.confirmedAt), (end, other.end),
    ]
    for case (let mine?, let theirs?) in pairs where mine != theirs { return mine > theirs }
    guard let given = confirmedAt ?? issuedAt, let end = other.end, end <= given else { return nil }
    return true
  }
}

extension IncomingAccount {
  /// Decides what becomes of an account that these credentials belong to.
  ///
  /// - Parameters:
  ///   - before: The account, with its items.
  ///   - replacement: The rule for an account that has others.
  ///   - allowed: The places that the user gives with them.
  ///   - now: The time.
  /// - Returns: What is done.
  /// - Throws: ``TransferError/newerHere(_:)``, ``StaticTokenError/otherOrigins(_:_:)``.
  func change(
    of before: StoredAccount,
    _ replacement: AddAccount.Replacement,
    allowing allowed: [Place] = [],
    at now: Timestamp
  ) throws(EngineError) -> AddAccount.Change {
    let known = before.account
    if isKnownByName, replacement == .unlessNewer { try requirePlaces(of: known, among: allowed) }
    guard sentAs == nil else {
      if replacement == .unlessNewer {
        try known.requireOrigins(account(known.id, known.name, createdAt: known.createdAt).origins.places)
      }
      return .replaced
    }
    guard replacement != .always else { return known.kind == .static ? .replaced : .renewed }
    let (token, old) = (items.first { $0.kind == known.kind.tokenItem }?.secret, before.items[known.kind.tokenItem])
    let isSame = items.allSatisfy { before.items[$0.kind] == $0.secret }
    if isSame, !known.assess(.present, at: now).needsPerson { return .unchanged }
    if let token, let old, isOlder(token, than: old, of: known, at: now) {
      guard replacement == .forced else { throw .transfer(.newerHere([known.name])) }
      return .replaced
    }
    return known.kind == .static ? .replaced : .renewed
  }

  private func isOlder(_ token: Secret, than old: Secret, of known: Account, at now: Timestamp) -> Bool {
    let account = account(known.id, known.name, createdAt: known.createdAt)
    // A token that has ended is of no use, and an older one that works is.
    if known.assess(.present, at: now).needsPerson, !account.assess(.present, at: now).needsPerson { return false }
    // An export of this very account that does not show a later time is from before a change here. Another one with this
    // identity, and a document, may be of any age.
    let isCommon = isMoved && id == known.id
    let here = CredentialAge(of: known, old, storedAt: isCommon ? known.credentialsStoredAt : nil, at: now)
    return here.isNewer(than: CredentialAge(of: account, token, storedAt: storedAt, at: now)) ?? isCommon
  }

  /// Checks that new tokens under a name are not for other origins alone: those of the account stay, and they would go there.
  private func requirePlaces(of known: Account, among allowed: [Place]) throws(EngineError) {
    let places = account(known.id, known.name, createdAt: known.createdAt).origins.places + allowed
    let others = known.origins.places
    guard places.isEmpty || others.isEmpty || places.contains(where: others.contains) else {
      throw .input(.staticToken(.otherOrigins(known.name, others)))
    }
  }
}

extension Account {
  /// Checks that a new static token goes where this account's token went.
  ///
  /// - Parameter places: The places of the new token.
  /// - Throws: ``StaticTokenError/otherOrigins(_:_:)``.
  package func requireOrigins(_ places: [Place]) throws(EngineError) {
    // A place that the user has given since shares its origin's reasons.
    let (given, own) = (Set(places.map(\.origin)), origins.filter { origins.reasons(for: $0).contains(.signIn) })
    let isSame = own.allSatisfy(given.contains) && given.allSatisfy(origins.contains)
    guard own.isEmpty || isSame && origins.places.contains(where: places.contains) else {
      throw .input(.staticToken(.otherOrigins(name, origins.places)))
    }
  }

  /// When its tokens were stored, by its history.
  var credentialsStoredAt: Timestamp? {
    history.events?.last { [.added, .signedIn, .renewed].contains($0.kind) }?.time
  }
}
