import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// The variables of a command that has tokens of several accounts.
///
/// Either all of them are to be had, or none is.
struct ExecVariables {
  private let context: Context
  private let network: TokenProvider.Network
  private let minimum: Int64?
  private var variables: [(name: String, source: Source)] = []
  /// The place of each name in `variables`.
  private var places: [String: Int] = [:]

  /// - Parameters:
  ///   - context: The command's environment.
  ///   - network: The permission to renew.
  ///   - minimum: Seconds that each token must have left; the skew buffer if not given.
  init(_ context: Context, _ network: TokenProvider.Network, leaving minimum: Int64?) {
    self.context = context
    self.network = network
    self.minimum = minimum
  }

  /// The source of a variable's value.
  enum Source {
    case plain(Secret)
    /// The token of the selected account, for a URL if one is named.
    case selected(for: String?)
    case account(String)
    /// A line of a file refers to an account.
    case reference(AccountReference, path: String, line: Int)
  }

  /// Sets a variable, in the place of an earlier one of its name.
  mutating func set(_ name: String, _ source: Source) {
    if let place = places[name] {
      variables[place].source = source
    } else {
      places[name] = variables.count
      variables.append((name, source))
    }
  }

  /// Sets the variables of a `.env` file; of two lines for one variable, the last one counts.
  ///
  /// - Parameter path: The file; `-` is standard input.
  /// - Throws: ``ExecError/envFile(path:_:)``; ``InputError/secretFile(_:)``, ``InputError/stream(_:)``.
  mutating func add(file path: String) throws(EngineError) {
    let contents: Secret
    if path == "-" {
      do { contents = try context.world.streams.input(path, EnvFile.limit) } catch { throw .input(.stream(error)) }
    } else {
      do { contents = try context.world.foreignFiles.read(path, EnvFile.limit).secret } catch {
        throw .exec(.file(error))
      }
    }
    do throws(EnvFlaw) {
      for entry in try EnvFile(parsing: contents).entries {
        let reference = AccountReference(entry.value)
        set(entry.variable, reference.map { .reference($0, path: path, line: entry.line) } ?? .plain(entry.value))
      }
    } catch {
      throw .exec(.envFile(path: path, error))
    }
  }

  /// A part of an account that a variable has.
  fileprivate struct Need: Sendable {
    let account: Account
    let part: AccountReference.Part
    /// `nil` for a user, who is no secret.
    let permit: Permit?
  }

  /// The names and values, once each account has been found and each token is at hand.
  ///
  /// - Parameter program: The program that gets them, for the log of each account.
  /// - Returns: The variables.
  /// - Throws: ``EngineError``, which names the account: the first one that can't be used.
  func values(for program: String?) async throws(EngineError) -> [(name: String, value: Secret)] {
    var needs: [Need?] = []
    for variable in variables {
      if case .plain = variable.source {
        needs.append(nil)
      } else {
        needs.append(try await need(of: variable.source, variable.name))
      }
    }
    try await unlock(needs.compactMap(\.self))
    let obtained = await obtained(needs)
    var values: [(name: String, value: Secret)] = []
    for (index, variable) in variables.enumerated() {
      if case .plain(let value) = variable.source {
        values.append((variable.name, value))
      } else {
        guard let need = needs[index], let part = obtained[index] else { throw .cancelled }
        context.report(part.notices)
        do throws(EngineError) { values.append((variable.name, try part.result.get())) } catch .cancelled {
          throw .cancelled
        } catch {
          context.chosen.name = need.account.name
          throw .exec(.noToken(need.account.name, error))
        }
      }
    }
    for case let need? in needs where need.permit != nil {
      await UseLog(context.engine).note(need.account, by: program, at: nil)
    }
    return values
  }

  /// Finds the account, and asks it for its permit.
  private func need(of source: Source, _ variable: String) async throws(EngineError) -> Need {
    switch source {
    case .plain, .selected(nil):
      return try need(of: context.owner(of: variable, insteadOf: await context.choose()), .token)
    case .selected(let url?):
      let target = try Authorize.Target(method: nil, url: url)
      return try need(of: await context.choose(for: target.destination).account, .token, for: target.url)
    case .account(let name): return try need(of: await context.choose(name).account, .token)
    case .reference(let reference, let path, let line):
      do throws(EngineError) {
        return try need(of: await context.choose(reference.account).account, reference.part)
      } catch {
        throw .exec(.line(line, path: path, error))
      }
    }
  }

  private func need(
    of account: Account,
    _ part: AccountReference.Part,
    for url: HTTPURL? = nil
  ) throws(EngineError) -> Need {
    do throws(AuthorizationError) {
      let permit: Permit? =
        switch part {
        case .token: try account.permit(handingOverFor: url)
        case .header: try account.permitForEveryURL()
        case .user: nil
        }
      if part == .token, account.tokenType == .dpop { context.noticeOfBoundToken(account) }
      return Need(account: account, part: part, permit: permit)
    } catch {
      throw .authorization(error)
    }
  }

  /// Opens the keyring of the first account, so that only one of the readers side by side can ask for a passphrase.
  private func unlock(_ needs: [Need]) async throws(EngineError) {
    guard needs.count > 1, let first = needs.first(where: { $0.permit != nil }) else { return }
    do throws(EngineError) {
      _ = try await CredentialStore.readWhole(of: first.account, in: context.engine)
    } catch .cancelled {
      throw .cancelled
    } catch .keyring(let error) {
      throw .exec(.noToken(first.account.name, .keyring(error)))
    } catch {
      // What else there is to say of the account, its renewal says.
    }
  }

  /// The values by the place of their variable; accounts are renewed side by side, and each renewal is waited for.
  private func obtained(_ needs: [Need?]) async -> [Int: Obtained] {
    let (engine, network, minimum) = (context.engine, network, minimum)
    return await withTaskGroup(of: Obtained.self) { group in
      for case (let place, let need?) in needs.enumerated() {
        group.addTask { await Obtained(place, need, engine, network, leaving: minimum) }
      }
      var obtained: [Int: Obtained] = [:]
      for await part in group { obtained[part.place] = part }
      return obtained
    }
  }

  /// The outcome of obtaining a variable's value.
  ///
  /// It is an object, since an optimized build (Swift 6.3) confused the values of tuples that tasks of a group return.
  private final class Obtained: Sendable {
    let place: Int
    let result: Result<Secret, EngineError>
    let notices: [Notice]

    init(
      _ place: Int,
      _ need: Need,
      _ context: EngineContext,
      _ network: TokenProvider.Network,
      leaving minimum: Int64?
    ) async {
      self.place = place
      do throws(EngineError) {
        let (value, notices) = try await need.value(context, network, leaving: minimum)
        (result, self.notices) = (.success(value), notices)
      } catch {
        (result, notices) = (.failure(error), [])
      }
    }
  }
}

extension ExecVariables.Need {
  /// Obtains the value, renewed first if that is due.
  fileprivate func value(
    _ context: EngineContext,
    _ network: TokenProvider.Network,
    leaving minimum: Int64?
  ) async throws(EngineError) -> (Secret, [Notice]) {
    guard let permit else {
      guard let user = account.user else { throw .exec(.noUser(account.name)) }
      return (Secret(user), [])
    }
    let grant = try await TokenProvider(context, network).grant(to: account, under: permit, leaving: minimum)
    let released = try permit.release(grant)
    guard part == .header else { return (released.openedToken, grant.notices) }
    guard let line = released.openedFields.first else { throw .authorization(.inQuery(account.name)) }
    return (line.value, grant.notices)
  }
}

extension Context {
  /// Says that a token alone is of no use.
  func noticeOfBoundToken(_ account: Account) {
    notice("the token of \(account.name) is bound to a DPoP key: no server accepts it without a proof")
  }
}

extension Account {
  /// The user as their server knows them.
  fileprivate var user: String? { credentialForm.basicUser ?? handle?.description ?? displayName ?? identity.subject }
}
