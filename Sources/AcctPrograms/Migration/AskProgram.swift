import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Asks a program for a secret that it keeps.
struct AskProgram: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The secret of a login, and its user.
  ///
  /// - Throws: ``EngineError/migration(_:)``.
  func secret(of found: FoundAccount) async throws(EngineError) -> (user: String?, Secret) {
    let (host, user) = (found.login.place, found.login.user)
    switch found.login.secret {
    case .value(let secret): return (user, secret)
    case .gh(let isActive): return (user, try await gh(host, user ?? "", isActive: isActive))
    case .glab:
      let line = ["glab", "config", "get", "token", "--host", host]
      return (user, try await run("glab", line, besides: ["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN"]))
    case .dockerHelper(let helper):
      let program = "docker-credential-\(helper)"
      let result = try await answered(ProgramCall(program, ["get"], input: .text(host)))
      do {
        let answer = try DockerHelperAnswer(result)
        return (answer.user, answer.secret)
      } catch {
        throw .migration(.answer(program: program))
      }
    case .oidcAgent: throw .migration(.answer(program: found.program.rawValue))
    }
  }

  /// gh's token; before 2.40 it has one user at each host, and rejects the option for a name.
  private func gh(_ host: String, _ user: String, isActive: Bool) async throws(EngineError) -> Secret {
    let variables = ["GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    let line = ["gh", "auth", "token", "--hostname", host]
    do throws(EngineError) {
      return try await run("gh", line + ["--user", user], besides: variables)
    } catch {
      guard isActive, case .refused(_, _, let words)? = error.migration, words.contains("--user") else {
        throw error
      }
      return try await run("gh", line, besides: variables)
    }
  }

  /// Runs a program without variables that would be its answer in place of what it keeps.
  private func run(_ program: String, _ line: [String], besides variables: [String]) async throws(EngineError) -> Secret
  {
    guard context.world.programs.exists(program) else {
      throw .migration(.program(.unusable(.notFound(program: program))))
    }
    return try await answered(ProgramCall("env", variables.flatMap { ["-u", $0] } + line), of: program)
  }

  /// The output of a program that ends well.
  func answered(_ call: ProgramCall, of program: String? = nil) async throws(EngineError) -> Secret {
    var call = call
    call.timeLimit = .seconds(context.timeout)
    let result: ProgramResult
    do { result = try await context.world.programs.run(call) } catch {
      if error == .cancelled { throw .cancelled }
      throw .migration(.program(error))
    }
    context.world.held.hold(result.output)
    guard result.status == 0 else {
      // Helpers of docker print their reason on standard output.
      let words = [result.errors, result.output].lazy.compactMap(\.firstWords).first ?? ""
      throw .migration(
        .refused(
          program: program ?? call.program,
          status: result.status,
          words: context.world.held.redactor.redact(words)
        )
      )
    }
    return result.output
  }
}

extension Secret {
  /// The first line that is not empty, as text for people.
  fileprivate var firstWords: String? {
    let line = shownText.split(whereSeparator: \.isNewline).first.map(String.init)
    return line?.isEmpty == false ? line : nil
  }
}
