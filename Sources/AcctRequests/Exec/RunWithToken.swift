import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Replaces the process by a command that has an account's token in its environment.
struct RunWithToken: Sendable {
  let exec: PreparedExec

  /// Prepares for the command; must be called before anything is opened, including the keyring.
  init(_ world: World) { exec = world.exec.prepare() }

  /// Checks that the program exists, before a token is obtained for it.
  ///
  /// - Parameter program: Its name or path.
  /// - Throws: ``ExecError/unusable(_:)``.
  func find(_ program: String) throws(EngineError) {
    do { try exec.find(program) } catch { throw .exec(.unusable(error)) }
  }

  /// Replaces this process; returns only in tests.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - variables: The variables that hold tokens, for the user.
  /// - Throws: ``ExecError/unusable(_:)``.
  func run(_ command: [String], _ variables: [(name: String, value: Secret)]) throws(EngineError) {
    var written: [(name: String, value: Secret)] = []
    for (name, value) in variables {
      written.append((name, try Secret.whole { () throws(OutputFlaw) in try OutputFormat.variable.written(value) }))
    }
    do { try exec.become(command, written) } catch { throw .exec(.unusable(error)) }
  }
}

/// A command can't be run with a token.
enum ExecError: Error {
  case unusable(ExecFailure)
  /// A file of variables can't be read.
  case file(SecretFileFailure)
  /// It is malformed.
  case envFile(path: String, EnvFlaw)
  /// The account of a variable, named by a line of a file, can't be used.
  case line(Int, path: String, EngineError)
  /// Nothing was run, since this account's token can't be had.
  case noToken(AccountName, EngineError)
  /// A variable of a service would get the key of another one; these accounts are of that service.
  case otherService(variable: String, AccountName, owners: [AccountName])
  /// The user of an account is not known.
  case noUser(AccountName)
  /// There is no place for a file with a token that the command reads.
  case memoryFolder(MemoryFolderFailure)
}

extension EngineError {
  /// The failure of a use case.
  static func exec(_ error: ExecError) -> EngineError { .told(Told(error, ErrorMessage(error))) }
}

extension ErrorMessage {
  /// The statuses are those of env(1) and the shells.
  fileprivate init(_ error: ExecError) {
    switch error {
    case .unusable(.notFound(let program)):
      self = .code("commandNotFound", .commandNotFound).saying("\(program): no such command")
    case .unusable(.notExecutable(let program, let reason)):
      self = .code("commandNotExecutable", .commandNotExecutable).saying("\(program): \(reason)")
    case .file(.missing(let path)), .file(.exists(let path)):
      self = .code("badInput", .badInput).saying("\(printable(path)): no such file or directory")
    case .file(.failed(let path, let reason)), .file(.exposed(let path, let reason, _)):
      self = .code("badInput", .badInput).saying("\(printable(path)): \(reason)")
    case .envFile(let path, let flaw):
      self = .code("badInput", .badInput).saying("\(printable(path)): \(words(for: flaw))")
    case .line(let line, let path, let error):
      self.init(error)
      text = "\(printable(path)), line \(line): \(text)"
    case .noToken(let name, let error):
      self.init(error)
      if !text.contains(name.description) { text = "no token of \(name): \(text)" }
    case .otherService(let variable, let name, let owners):
      let several = ", and several accounts are of that one: \(owners.map(\.description).joined(separator: ", "))"
      self = .code("otherService", owners.isEmpty ? .refused : .noSuchAccount)
        .saying("\(name) is a key of another service than \(variable)'s" + (owners.isEmpty ? "" : several))
        .hint("--env \(variable)=\(owners.first ?? name) names the account that is meant")
    case .noUser(let name):
      self = .code("noUser", .badInput).saying("the user of \(name) is not known")
    case .memoryFolder(let failure):
      self = .code("noMemoryFolder", .failed)
        .saying("there is no place in memory for a file with a token: \(printable(failure.path)): \(failure.reason)")
        .hint("set XDG_RUNTIME_DIR to a folder of your own on a tmpfs, or mount one at /dev/shm")
    }
  }
}
