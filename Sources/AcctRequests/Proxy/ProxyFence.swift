package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts

/// The files that accounts need beside acct's own, for the fence around a proxy.
package struct ProxyFence: Sendable {
  /// The files of tokens that renewals start from.
  private var tokenFiles: [String] = []
  /// The reason why there can be no fence.
  private var obstacle: Obstacle?

  /// A reason why a fence can't name all files that are needed.
  enum Obstacle: Sendable {
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
  init(for accounts: [Account], _ context: EngineContext) {
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

  /// The protection of a proxy that is in force.
  struct Protection: Sendable {
    /// `true` if no other process can read the secrets.
    let hidesSecrets: Bool
    /// The reason why the proxy can open all files, though the kernel has a fence.
    let obstacle: Obstacle?
  }

  /// Protects the secrets of a proxy, and the user's files from it, until the process ends.
  ///
  /// Measures that the kernel does not support are left out.
  ///
  /// - Parameters:
  ///   - place: The address at which it will listen.
  ///   - accounts: The accounts that requests are made as.
  ///   - context: Everything outside.
  /// - Returns: The measures that are in force.
  static func begin(at place: LocalPlace, for accounts: [Account], in context: EngineContext) -> Protection {
    let fence = ProxyFence(for: accounts, context)
    let confinement = context.world.confinement
    let measures = confinement.begin(
      .init(place: place, tokenFiles: fence.tokenFiles, needsUnknownFiles: fence.obstacle != nil)
    )
    var obstacle: Obstacle?
    if measures.fence == nil, confinement.available()?.fence != nil {
      obstacle = fence.obstacle ?? (fence.tokenFiles.isEmpty ? nil : .tokenFile(fence.tokenFiles))
    }
    return Protection(hidesSecrets: measures.secretMemory, obstacle: obstacle)
  }

  /// Reports the kernel's means of protecting a proxy, which runs for days.
  package static func findings(in context: EngineContext) -> [Finding] {
    guard let measures = context.world.confinement.available() else { return [] }
    let memory =
      measures.secretMemory
      ? "`acct proxy` keeps its secrets in memory that no other process can read (memfd_secret)"
      : "this system has no memfd_secret: root can read the secrets of a running `acct proxy`"
    let fence =
      measures.fence.map { "`acct proxy` can't open files that it has no use for (landlock \($0))" }
      ?? "this system has no landlock: `acct proxy` can open all your files"
    let findings = [Finding(.ok, "proxyMemory", memory), Finding(.ok, "proxyFence", fence)]
    let accounts = (try? context.accountStore.listing().accounts) ?? []
    guard measures.fence != nil, let obstacle = ProxyFence(for: accounts, context).obstacle else { return findings }
    let message = "`acct proxy` for these accounts can open all your files: \(words(for: obstacle))"
    return findings + [Finding(.ok, "proxyUnfenced", message)]
  }
}

/// Why a proxy is without a fence, though the kernel has one.
func words(for obstacle: ProxyFence.Obstacle) -> String {
  switch obstacle {
  case .module(let account): "a key of \(account) is in a token, whose module reads files of its own"
  case .program(let account): "the token of \(account) starts from a program, which reads files of its own"
  case .sharedKeyring: "the engine of the shared keyring is reached by a library that reads files of its own"
  case .tokenFile(let paths):
    "\(paths.map { printable($0) }.joined(separator: ", ")) lies directly in the home folder, which would be open with it"
  }
}
