import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// A program's own tool for its settings, which changes a copy of its file.
struct SettingsTool: Sendable {
  let context: EngineContext
  let program: SetupProgram
  /// The name of the program, as it is on `PATH`.
  let name: String

  var files: SettingsFiles { context.world.foreignFiles.settings }

  /// The places where the program looks for its settings.
  var places: [String] { context.world.places(of: .settings(program)) }

  /// The first of the places that exists; else `fallback`.
  func existing(else fallback: String?) throws(EngineError) -> String {
    for place in places where try context.settingsFile(place).contents != nil { return place }
    return fallback ?? ""
  }

  /// In bytes.
  static let limit = 1 << 20

  /// Makes a copy of a file, which the body changes with ``run(_:_:)``.
  ///
  /// - Parameters:
  ///   - contents: The file; `nil` if there is none.
  ///   - name: The copy's name, with a folder if the program wants one.
  ///   - body: Gets the copy's path.
  /// - Returns: The copy's contents in the end, and the body's result.
  /// - Throws: ``SetupError/file(_:)``, and the body's error.
  func onCopy<Result>(
    of contents: Secret?,
    named name: String = "settings",
    _ body: (_ path: String) async throws(EngineError) -> Result
  ) async throws(EngineError) -> (contents: Secret, result: Result) {
    defer { files.removeCopies() }
    let path: String
    do { path = try files.copy(name, contents ?? Secret("")) } catch { throw .setup(.file(error)) }
    let result = try await body(path)
    do { return (try files.readCopy(name), result) } catch { throw .setup(.file(error)) }
  }

  /// Adds lines to the end of the copy.
  func append(_ lines: String, to name: String = "settings") throws(EngineError) {
    do throws(SettingsFileFailure) {
      let contents = try files.readCopy(name)
      let isWhole = contents.withBytes { $0.isEmpty || $0[$0.count - 1] == 0x0A }
      _ = try files.copy(name, Secret(joining: [contents, Secret((isWhole ? "" : "\n") + lines)]))
    } catch {
      throw .setup(.file(error))
    }
  }

  /// The origins of all accounts, each once.
  func origins() throws(EngineError) -> [Origin] {
    var origins: [Origin] = []
    for origin in try context.accountStore.listing().accounts.flatMap(\.origins) where !origins.contains(origin) {
      origins.append(origin)
    }
    return origins
  }

  /// The files that the program reads before those of its settings, as far as there are any.
  func filesBefore() throws(EngineError) -> [(place: String, contents: Secret)] {
    var files: [(place: String, contents: Secret)] = []
    for place in context.world.places(of: .credentialsBefore(program)) {
      if let contents = try context.settingsFile(place).contents { files.append((place, contents)) }
    }
    return files
  }

  /// The environment variables of these that are set, and decide instead of a setting.
  func variables(_ names: [String]) -> [SetupRemark] {
    names.filter { context.world.environment.variable($0) != nil }.map(SetupRemark.variable)
  }

  /// Runs the program with environment variables of its own.
  ///
  /// - Parameters:
  ///   - arguments: The arguments behind its name.
  ///   - variables: Options of env(1), such as `NAME=value`.
  /// - Returns: The end of the program, whatever its status is.
  /// - Throws: ``SetupError/program(_:)``, ``EngineError/cancelled``.
  func run(_ arguments: [String], _ variables: [String] = []) async throws(EngineError) -> ProgramResult {
    var call = variables.isEmpty ? ProgramCall(name, arguments) : ProgramCall("env", variables + [name] + arguments)
    call.timeLimit = .seconds(context.timeout)
    // A view of a whole file is longer than the file.
    call.outputLimit = 8 * Self.limit
    do { return try await context.world.programs.run(call) } catch {
      if error == .cancelled { throw .cancelled }
      throw .setup(.program(error))
    }
  }

  /// Runs the program, which must succeed.
  @discardableResult
  func require(_ arguments: [String], _ variables: [String] = []) async throws(EngineError) -> Secret {
    let result = try await run(arguments, variables)
    guard result.status == 0 else {
      throw .setup(.refused(program: name, status: result.status, words: words(result)))
    }
    return result.output
  }

  /// The failure of a program that cannot read the copy of a file.
  func unreadable(_ result: ProgramResult, _ path: String) -> EngineError {
    .setup(.unreadable(path: path, program, words: words(result)))
  }

  /// The first line of a program's words.
  private func words(_ result: ProgramResult) -> String {
    let lines = result.errors.shownText.split(whereSeparator: \.isNewline)
    return context.world.held.redactor.redact(lines.first.map(String.init) ?? "")
  }
}

extension Secret {
  /// The lines of a program's answer.
  var lines: [String] { parts(endedBy: "\n") }

  /// The values of a program's answer, each of which a zero byte ends.
  var values: [String] { parts(endedBy: "\0") }

  private func parts(endedBy end: Character) -> [String] {
    shownText.split(separator: end, omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
