import AcctConsole
import AcctEngine
import AcctModel

/// The accounts of a proxy can't be told apart.
enum ProxyError: Error, Equatable, Sendable {
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
      self.init(
        "originShared",
        .noSuchAccount,
        "\(origin) is an origin of more than one account: \(list(names))",
        hint:
          "`acct allow NAME \(origin) --revoke` takes it from one; without --all, --account selects one"
      )
    case .hostShared(let host, let origins, let names):
      let owners = zip(origins, names).map { "\($0) of \($1)" }.joined(separator: ", ")
      self.init(
        "originShared",
        .noSuchAccount,
        "the Host \(host) fits origins of more than one account: \(owners)",
        hint: origins.first.map {
          "`acct allow NAME \($0) --revoke` takes it from one; without --all, --account selects one"
        }
      )
    }
  }
}
