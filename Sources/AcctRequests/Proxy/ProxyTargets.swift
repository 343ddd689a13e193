import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import Release

/// The origins that a signing proxy serves, the accounts of each, and the target of a request that names the proxy
/// itself.
struct ProxyTargets: Sendable {
  /// Of several accounts of an origin, the longest place that a request is in decides.
  private let owners: [Origin: [Account]]
  /// The origins in the order in which a `Host` selects one, the same in each run.
  let origins: [Origin]
  /// The origin of a request whose `Host` is the address of the proxy's own port.
  let direct: Origin?

  /// The accounts that requests are made as, each once.
  var accounts: [Account] {
    var accounts: [Account] = []
    for account in origins.flatMap({ owners[$0] ?? [] })
    where !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
    return accounts
  }

  /// The origins of one account; a request to the proxy's own address goes to the only one.
  init(of account: Account) {
    owners = account.origins.reduce(into: [:]) { $0[$1] = [account] }
    origins = Array(account.origins)
    direct = account.origins.count == 1 ? account.origins.first : nil
  }

  /// One origin of an account, to which every request goes.
  ///
  /// - Throws: ``AuthorizationError/originRefused(_:account:allowed:)``.
  init(of account: Account, to origin: Origin) throws(EngineError) {
    do { try account.requireOwn(origin) } catch { throw .authorization(error) }
    owners = [origin: [account]]
    origins = [origin]
    direct = origin
  }

  /// The origins of all accounts.
  ///
  /// An origin of two accounts without places that differ, or a `Host` that matches an origin of each, would leave the
  /// account of a request undecided.
  ///
  /// - Throws: ``ProxyError``,
  ///   ``SelectionError/noAccounts``.
  init(of accounts: [Account]) throws(EngineError) {
    guard !accounts.isEmpty else { throw .selection(.noAccounts) }
    var owners: [Origin: [Account]] = [:]
    var origins: [Origin] = []
    var named: [String: Origin] = [:]
    for account in accounts {
      for origin in account.origins {
        let places = account.origins.places.filter { $0.origin == origin }
        if let other = owners[origin]?.first(where: { $0.origins.places.contains(where: places.contains) }) {
          throw .proxy(.originShared(origin, [other.name, account.name]))
        }
        owners[origin, default: []].append(account)
        if origins.contains(origin) { continue }
        for host in origin.hostFields {
          guard let other = named.updateValue(origin, forKey: host), let owner = owners[other]?.first,
            owner.id != account.id
          else { continue }
          throw .proxy(.hostShared(host, [other, origin], [owner.name, account.name]))
        }
        origins.append(origin)
      }
    }
    self.owners = owners
    self.origins = origins
    direct = owners.count == 1 ? owners.keys.first : nil
  }

  /// The account of a request; `nil` where its origin is none of those that are served.
  ///
  /// - Throws: ``SelectionError/severalOwn(_:_:)`` where the URL is in no place, or in a place of two accounts.
  func account(for url: HTTPURL) throws(EngineError) -> Account? {
    guard let accounts = owners[url.origin] else { return nil }
    guard accounts.count > 1 else { return accounts.first }
    switch Owners(of: Destination(url), among: accounts).decide(active: nil) {
    case .one(let owner, _): return owner.account
    case .several(let several): throw .selection(.severalOwn(url.origin, several.map(\.account.name)))
    case .otherUser, .none: return nil
    }
  }
}

/// The accounts of a proxy can't be told apart.
enum ProxyError: Error {
  /// Both accounts have this origin, so neither can be selected by it.
  case originShared(Origin, [AccountName])
  /// A `Host` matches an origin of each of two accounts, so neither can be selected by it.
  case hostShared(String, [Origin], [AccountName])
}

extension EngineError {
  /// The failure of a use case.
  static func proxy(_ error: ProxyError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

extension ErrorMessage {
  fileprivate init(_ error: ProxyError) {
    switch error {
    case .originShared(let origin, let names):
      self = .code("originShared", .noSuchAccount)
        .saying("\(origin) is an origin of more than one account: \(list(names))")
        .hint("`acct allow NAME \(origin) --revoke` takes it from one; without --all, --account selects one")
    case .hostShared(let host, let origins, let names):
      let owners = zip(origins, names).map { "\($0) of \($1)" }.joined(separator: ", ")
      self = .code("originShared", .noSuchAccount)
        .saying("the Host \(host) fits origins of more than one account: \(owners)")
        .hint(
          origins.first.map {
            "`acct allow NAME \($0) --revoke` takes it from one; without --all, --account selects one"
          }
        )
    }
  }
}
