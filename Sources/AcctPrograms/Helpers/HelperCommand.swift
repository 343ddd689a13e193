package import AcctConsole
package import AcctEngine
import AcctPorts
import AcctProtocol
package import ArgumentParser
import Secrets

/// Speaks the credential protocol of another program.
package struct HelperCommand: AcctCommand {
  package static var takesDocument: Bool { true }

  package static let configuration = CommandConfiguration(
    commandName: "helper",
    abstract: "Answer another program in its credential protocol.",
    discussion: """
      Git, docker and others run it when they need a credential:

        git config --global credential.https://git.example.helper acct

      It never prompts, and answers only for an account's own origins. `acct helper setup` changes the settings of \
      other programs so that they run it.
      """
  )

  /// The protocols, by the names that programs are set up with.
  package enum Name: String, ExpressibleByArgument, CaseIterable {
    case git, docker, kubectl, bazel, go, cargo, keyring, google, terraform, aws

    var type: any HelperProtocol.Type {
      switch self {
      case .git: GitCredentials.self
      case .docker: DockerCredentials.self
      case .kubectl: ExecCredential.self
      case .bazel: BazelCredential.self
      case .go: GoAuth.self
      case .cargo: CargoCredential.self
      case .keyring: KeyringRequest.self
      case .google: GoogleExternalAccount.self
      case .terraform: TerraformCredentials.self
      case .aws: AWSCredentialProcess.self
      }
    }

    /// The name by which the program runs acct, if it builds that name itself; `nil` where it can be configured.
    package var programName: String? {
      switch self {
      case .git: "git-credential-acct"
      case .docker: "docker-credential-acct"
      case .cargo: "cargo-credential-acct"
      case .terraform: "terraform-credentials-acct"
      case .kubectl, .bazel, .go, .keyring, .google, .aws: nil
      }
    }
  }

  /// ArgumentParser's message for a missing ``program``; the list of programs says more.
  package static let missingProgram = "missing expected argument '<program>'"

  @Argument(help: "The program whose protocol it is.")
  var program: Name

  // Some programs write options of their own.
  @Argument(parsing: .allUnrecognized, help: "What the program asks for, as it writes it.")
  var operation: [String] = []

  @OptionGroup var audience: AudienceOptions

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  package var credentials: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    try await serve(program.type, context)
  }

  private func serve<Program: HelperProtocol>(
    _ type: Program.Type,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    switch type.exchange(for: operation) {
    case .silent: return try await answer(Secret(""), type, context)
    case .whole:
      let input: Secret
      do { input = try context.world.streams.input("-", HelperLines.limit) } catch {
        if case .tooLarge = error { throw .question(.tooLarge) }
        throw .input(.stream(error))
      }
      return try await answer(input, type, context)
    case .paragraph:
      var lines = try HelperLines(context.world)
      return try await answer(try await lines.paragraph(), type, context)
    case .lines(let greeting):
      try context.output(Secret(greeting))
      var lines = try HelperLines(context.world)
      var status = ExitStatus.done
      while let line = try await lines.next() {
        let answered = try await answer(line, type, context)
        if answered != .done { status = answered }
      }
      return status
    }
  }

  /// Answers one question on standard output, and says on standard error why there is no credential.
  private func answer<Program: HelperProtocol>(
    _ input: Secret,
    _ type: Program.Type,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let variable = context.world.environment.variable
    let question = HelperQuestion(operation, input, version: version, variable: variable)
    let program: Program
    do { program = try Program(question) } catch {
      if let told = failure(ErrorMessage(error), type) { return try write(told, context) }
      guard let answer = type.answer(to: error) else { throw .question(error) }
      tell(ErrorMessage(error), context)
      return try write(answer, context)
    }
    var engine = context.engine
    engine.program = self.program.rawValue
    let answering = AnswerProgram(engine, for: audience.purpose)
    let outcome = await answering.answer(program, as: options.account)
    if case .failed(let error)? = outcome.reason { WaitingRefusals(context.world).note(error, for: engine.program) }
    let named = outcome.reason.map { ErrorMessage($0).naming(answering.chosen.name).tellingSkipped(in: context.world) }
      .map { context.isDocument ? $0.aboutDocument : $0 }
    if let told = named.flatMap({ failure($0, type) }) { return try write(told, context) }
    guard type.failure(code: "", message: "") == nil else { return try write(outcome.answer, context) }
    for case .ignored(let path, let reason) in outcome.ignored { context.notice("\(path) is ignored: \(reason)") }
    context.report(outcome.notices)
    if let reason = outcome.reason, var message = named,
      !type.asksForAnyServer || !reason.isUsual || options.verbose
    {
      // Most such servers are another helper's, and none to allow a token for.
      if reason.isUsual, !options.verbose, !type.endsWithStatus { message.hint = nil }
      tell(message, context)
      if type.endsWithStatus { return message.status }
    }
    return try write(outcome.answer, context)
  }

  /// A failure for a program that reads it in an answer; `nil` for any other.
  private func failure<Program: HelperProtocol>(_ error: ErrorMessage, _ type: Program.Type) -> HelperAnswer? {
    let words = [error.text, error.hint].compactMap(\.self).joined(separator: "; ")
    return type.failure(code: error.code, message: words)
  }

  /// Rejects an option that a program has from elsewhere, and that would be read as acct's.
  ///
  /// - Parameter arguments: A command line of `helper`, as it was typed.
  /// - Throws: ``HelperFlaw/operation(_:)`` with the option without its value.
  package static func requireOwnOptions(in arguments: [String]) throws(EngineError) {
    // Each word that is a protocol's name counts: an account may be called so, too.
    let foreign = arguments.indices.lazy.compactMap { index in
      Name(rawValue: arguments[index])?.type.foreignOption(in: arguments[(index + 1)...])
    }
    if let option = foreign.first { throw .question(.operation(option)) }
  }

  /// The names that a mistyped program may stand for; none in a line of another command.
  package static func suggested(in arguments: [String]) -> [String] {
    var words = arguments.hoistingSharedOptions[...]
    guard words.popFirst() == "helper" else { return [] }
    var names = ["setup"] + Name.allCases.map(\.rawValue)
    if words.first == "setup" { (words, names) = (words.dropFirst(), SetupCommand.programs) }
    return words.first.map { names.contains($0) ? [] : AcctConsole.suggested(for: $0, of: names) } ?? []
  }

  private func tell(_ errorMessage: ErrorMessage, _ context: Context) {
    _ = ErrorReport(world: context.world, asJSON: options.json, isDocument: context.isDocument).write(errorMessage)
  }

  private func write(_ answer: HelperAnswer, _ context: Context) throws(EngineError) -> ExitStatus {
    if let file = answer.file {
      do {
        try context.world.secretFiles.write(file, answer.output, true)
        if answer.isForFileAlone { return .done }
      } catch {
        // The program then reads standard output, and nothing else may be written there.
      }
    }
    if answer.output.count > 0 { try context.output(answer.output) }
    return answer.isSuccess ? .done : .failed
  }
}

extension HelperLines {
  /// The lines up to an empty one or to the end, which is not waited for.
  ///
  /// - Throws: ``InputError/stream(_:)``, ``HelperFlaw/tooLarge``.
  fileprivate mutating func paragraph() async throws(EngineError) -> Secret {
    var lines: [Secret] = []
    var count = 0
    while let line = try await next(), line.count > 0 {
      count += line.count + 1
      guard count <= Self.limit else { throw .question(.tooLarge) }
      lines += [line, Secret("\n")]
    }
    return Secret(joining: lines)
  }
}

/// The lines on standard input, one at a time, for a program that waits for the answer to each.
struct HelperLines {
  /// In bytes: more than any question has.
  static let limit = 1 << 16

  private let source: ByteSource
  /// The bytes that were read and are no line yet; they may hold a secret.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  /// - Throws: ``InputError/stream(_:)``.
  init(_ world: World) throws(EngineError) {
    do { source = try world.streams.source("-") } catch { throw .input(.stream(error)) }
  }

  /// The next line without its end; `nil` after the last one.
  ///
  /// - Throws: ``InputError/stream(_:)``, ``HelperFlaw/tooLarge``.
  mutating func next() async throws(EngineError) -> Secret? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Secret(rest[..<end])
        drop(end + 1)
        return line
      }
      guard rest.count <= Self.limit else {
        wipe(&rest)
        throw .question(.tooLarge)
      }
      if isAtEnd { return rest.isEmpty ? nil : Secret(consuming: &rest) }
      do {
        if var part = try await source.next() { append(&part) } else { isAtEnd = true }
      } catch {
        wipe(&rest)
        throw .input(.stream(error))
      }
    }
  }

  /// Takes over a part, and wipes it and the buffer that was too small for both.
  private mutating func append(_ part: inout [UInt8]) {
    var whole: [UInt8] = []
    whole.reserveCapacity(rest.count + part.count)
    whole.append(contentsOf: rest)
    whole.append(contentsOf: part)
    wipe(&rest)
    wipe(&part)
    rest = whole
  }

  /// Wipes the first bytes; the others stay.
  private mutating func drop(_ count: Int) {
    var others: [UInt8] = []
    others.reserveCapacity(max(1, rest.count - count))
    others.append(contentsOf: rest[count...])
    wipe(&rest)
    rest = others
  }
}
