import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import Release

/// The tokens of other issuers that a request starts from, as they were just before it.
struct ReadTokens: Sendable {
  /// The client's assertion (RFC 7523, section 2.2).
  var client: Secret?
  /// The grant's assertion or subject token.
  var grant: Secret?
}

/// Reads tokens that platforms and programs provide, before the request that needs them.
struct InputTokens: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Reads the assertion by which a client authenticates itself, if a file has it.
  ///
  /// - Throws: ``EngineError/inputToken(_:)``.
  func client(_ settings: ClientSettings) throws(EngineError) -> ReadTokens {
    guard let path = settings.inputs.clientAssertion else { return ReadTokens() }
    return ReadTokens(client: try read(path, asJWT: true))
  }

  /// Reads the token that a file has now.
  ///
  /// - Parameters:
  ///   - path: The file, which only the user and root can write; links are followed.
  ///   - isJWT: `true` if nothing but a JWT will do.
  /// - Returns: The token.
  /// - Throws: ``EngineError/inputToken(_:)``.
  func read(_ path: String, asJWT isJWT: Bool) throws(EngineError) -> Secret {
    let contents: Secret
    do { contents = try context.world.secretFiles.read(path, TokenInputs.limit, .token) } catch {
      throw .inputToken(.file(error))
    }
    return try token(contents, from: .file(path), asJWT: isJWT)
  }

  /// Runs a program, and reads the token that it prints.
  ///
  /// - Throws: ``EngineError/inputToken(_:)``; ``EngineError/cancelled``.
  func run(_ line: ProgramLine, asJWT isJWT: Bool) async throws(EngineError) -> Secret {
    var call = ProgramCall(line.program, line.arguments, outputLimit: TokenInputs.limit, timeLimit: .seconds(30))
    call.isNamed = true
    let result: ProgramResult
    do { result = try await context.world.programs.run(call) } catch {
      if error == .cancelled { throw .cancelled }
      throw .inputToken(.program(error))
    }
    context.world.held.hold(result.output)
    guard result.status == 0 else {
      let line = result.errors.shownText.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      let words = context.world.held.redactor.redact(line)
      throw .inputToken(.refused(program: call.program, status: result.status, words: words))
    }
    return try token(result.output, from: .program(line.program), asJWT: isJWT)
  }

  /// Checks a token, without the blanks and line ends behind it.
  private func token(_ text: Secret, from origin: TokenOrigin, asJWT isJWT: Bool) throws(EngineError) -> Secret {
    let secret = text.withBytes { bytes in
      var end = bytes.count
      while end > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
      return Secret((0..<end).map { bytes[$0] })
    }
    guard secret.count > 0 else { throw .inputToken(.unusable(.empty, origin)) }
    context.world.held.hold(secret)
    guard let token = try? Token(secret) else { throw .inputToken(.unusable(.notToken, origin)) }
    var claims: JWTClaims?
    do throws(JWTError) {
      if isJWT {
        claims = try JWT.decode(token).claims
      } else if case .claims(let found) = JWT.claims(ofToken: token) {
        claims = found
      }
    } catch { throw .inputToken(.unusable(.notJWT, origin)) }
    if let end = claims?.expiry, end.seconds(since: context.world.clock.now()) <= 0 {
      throw .inputToken(.ended(origin, end))
    }
    return secret
  }
}
