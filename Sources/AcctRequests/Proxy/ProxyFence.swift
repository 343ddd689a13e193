package import AcctModel
import AcctPorts
package import AcctEngine

/// The files that accounts need beside acct's own, for the fence around a proxy.
package struct ProxyFence: Equatable, Sendable {
  /// The files of tokens that renewals start from.
  var tokenFiles: [String] = []
  /// The reason why there can be no fence.
  package private(set) var obstacle: Obstacle?

  /// What reads files that acct does not know.
  package enum Obstacle: Equatable, Sendable {
    /// The module of a token that has a key of the account.
    case module(AccountName)
    /// The program that prints the token that the account starts from.
    case program(AccountName)
    /// The engine of a shared keyring is reached with certificates that libpq looks for.
    case sharedKeyring
    /// One of these lies in a folder that can't be opened without the user's other files.
    case tokenFile([String])
  }

  /// Finds out what the accounts need, and those whose tokens they start from.
  package init(for accounts: [Account], _ context: EngineContext) {
    var (rest, seen) = (accounts, Set<AccountID>())
    while let account = rest.popLast() {
      guard seen.insert(account.id).inserted else { continue }
      if account.deviceStorage == .pkcs11 || account.client.certificate?.isKeyInToken == true {
        obstacle = .module(account.name)
      }
      let inputs = account.client.inputs
      if let path = inputs.clientAssertion { tokenFiles.append(path) }
      switch inputs.grantToken {
      case .file(let path): tokenFiles.append(path)
      case .program: obstacle = .program(account.name)
      // A renewal reports an account that is gone.
      case .account(let id): if let other = try? context.accountStore.account(id) { rest.append(other) }
      case nil: break
      }
    }
    if obstacle == nil, Self.usesEngine(context) { obstacle = .sharedKeyring }
  }

  private static func usesEngine(_ context: EngineContext) -> Bool {
    do throws(EngineError) {
      return try KeyringChoice(context.world).chosen()?.isShared ?? false
    } catch {
      // Requests will report the error in the choice.
      return true
    }
  }
}
