import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Finds the keys in a `.env` file, and the accounts that they are or become; nothing is stored.
struct EnvKeys {
  private let context: EngineContext
  private let known: [Provider]
  private let accounts: [Account]
  /// The accounts that are to be added.
  private(set) var added: [New] = []

  /// - Throws: ``ProviderError/unreadable(path:reason:)``, ``FilesError``.
  init(_ context: EngineContext) throws(EngineError) {
    self.context = context
    known = try Providers(context.world).entries(keys: true).map(\.provider)
    accounts = try context.accountStore.listing().accounts
  }

  /// A key that is no account's yet.
  struct New: Sendable {
    let name: AccountName
    let provider: String?
    @Boxed var credentials: NewCredentials
  }

  /// The account that has a key, or is to have it.
  enum Owner: Sendable {
    case known(Account)
    case new(AccountName)
  }

  /// The kind of a variable, by its name and its value.
  enum Finding: Sendable {
    /// A key of a provider that says where it goes.
    case key(ResolvedProvider)
    /// It looks like a secret; the reason why it is no provider's key, if its name or beginning is one's.
    case secret(Reason?)
    case reference(AccountReference)
    /// No secret, as far as can be seen.
    case setting
  }

  /// Why a key is not taken over as a provider's.
  enum Reason: Equatable, Sendable {
    /// It begins as the keys of another one.
    case otherProvider(title: String)
    /// The provider's address needs a host.
    case hostNeeded(provider: String)
    /// It has characters that no token has.
    case noToken
    /// It is written in a way that could not be put back.
    case form
  }

  /// Looks at a variable: its name counts before the beginning of its value.
  func finding(for entry: EnvFile.Entry) -> Finding {
    if let reference = AccountReference(entry.value) { return .reference(reference) }
    guard entry.value.count > 0 else { return .setting }
    let line = Secret(joining: [Secret("\(entry.variable)="), entry.value])
    let isSecret = line.withBytes { !ForeignSecrets.places(in: $0).isEmpty }
    guard entry.value.withBytes({ $0.first("\n", in: 0..<$0.count) == nil }) else {
      return isSecret ? .secret(.noToken) : .setting
    }
    let named = known.first { $0.key?.variables.contains(entry.variable) ?? false }
    let owner = GivenKey(entry.value).owner(among: (named.map { [$0] } ?? []) + known)
    if let named, let owner, owner.name != named.name {
      return .secret(.otherProvider(title: owner.title ?? owner.name))
    }
    if let provider = named ?? owner {
      guard let name = ProviderName(provider.name), let resolved = try? Providers(context.world).resolve(name) else {
        return .secret(.hostNeeded(provider: provider.name))
      }
      return .key(resolved)
    }
    return isSecret ? .secret(nil) : .setting
  }

  /// The account of a key: the one that has it already, else a new one.
  ///
  /// - Parameters:
  ///   - entry: The variable.
  ///   - provider: Its provider, if it is known.
  ///   - places: Where it may be sent; none for a key that is handed to commands alone.
  ///   - name: The name that the user gave, if any.
  /// - Returns: The account.
  /// - Throws: ``InputError/staticToken(_:)`` for a value that is no token; the keyring's failure.
  mutating func account(
    for entry: EnvFile.Entry,
    of provider: ResolvedProvider?,
    at places: [Place],
    named name: AccountName?
  ) async throws(EngineError) -> Owner {
    let request = AddStaticToken.Request(
      file: "-",
      sentAs: provider?.provider.key?.sentAs ?? .bearer,
      expiry: nil,
      origins: places,
      provider: provider?.typed
    )
    let credentials = try AddStaticToken(context).credentials(key: entry.value, request)
    if let same = added.first(where: { $0.provider == provider?.typed && $0.credentials.token == credentials.token }) {
      return .new(same.name)
    }
    for account in accounts where account.isSame(provider, places) {
      if try await token(of: account) == credentials.token { return .known(account) }
    }
    let name = if let name { name } else { try freeName(for: entry, of: provider) }
    added.append(New(name: name, provider: provider?.typed, credentials: credentials))
    return .new(name)
  }

  /// The token of an account; `nil` where it has none, or none that can be read.
  private func token(of account: Account) async throws(EngineError) -> Token? {
    do throws(EngineError) {
      return try await CredentialStore.readWhole(of: account, in: context).token
    } catch .keyring(.failed(let failure, let kind)) {
      throw .keyring(.failed(failure, kind))
    } catch .cancelled {
      throw .cancelled
    } catch {
      return nil
    }
  }

  /// The provider's name, else the variable's in small letters; with a number where another account has it.
  private func freeName(for entry: EnvFile.Entry, of provider: ResolvedProvider?) throws(EngineError) -> AccountName {
    let word = provider.flatMap { ProviderName($0.typed)?.accountName } ?? entry.accountName
    let taken = Set(accounts.map(\.name.description) + added.map(\.name.description))
    var (text, number) = (word, 1)
    while taken.contains(text) {
      number += 1
      text = "\(word)-\(number)"
    }
    do { return try AccountName(text) } catch { throw .input(.malformed(error)) }
  }
}

extension EnvFile.Entry {
  /// `SESSION_SECRET` as a name: `session-secret`.
  fileprivate var accountName: String {
    let name = String(variable.lowercased().map { $0 == "_" ? "-" : $0 })
    // No name begins with a hyphen.
    return String(name.drop { $0 == "-" })
  }
}

extension Account {
  /// Returns `true` for a key that goes to the same places; a provider may have moved.
  fileprivate func isSame(_ provider: ResolvedProvider?, _ places: [Place]) -> Bool {
    guard kind == .static, keptFor == nil, client.provider == provider?.typed else { return false }
    return provider != nil || sentAs == .bearer && origins.places == places
  }
}
