package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Secrets
package import StrictJSON

/// Reads JSON that the user provides: at most 1 MiB, from a file or standard input.
package struct ImportFile: Sendable {
  private let world: World
  private let foreign: ForeignFailure?

  /// Returns the failure for a file that another program has written; `nil` if none is known to have.
  package typealias ForeignFailure = @Sendable (_ contents: ForeignText, _ path: String) -> EngineError?

  /// The text of a file that may be another program's.
  package enum ForeignText: Sendable {
    case json(JSON)
    /// Text that is not JSON.
    case other(Secret)
  }

  /// - Parameters:
  ///   - world: Everything outside.
  ///   - foreign: Knows the files of other programs.
  package init(_ world: World, knowing foreign: ForeignFailure?) {
    self.world = world
    self.foreign = foreign
  }

  /// The most bytes of a file.
  static let limit = 1 << 20

  /// The contents of a file.
  package indirect enum Contents: Sendable {
    case credentials(NewCredentials)
    /// The output of `export`; its contents need a passphrase.
    case export(SealedExport)
  }

  /// Reads credentials, or an export of accounts.
  ///
  /// - Parameters:
  ///   - path: A file, or `-` for standard input.
  ///   - certificate: The certificate of the credentials' client, and its files, if it has one.
  /// - Returns: Credentials that are completely checked, or an export that is whole.
  /// - Throws: ``InputError/stream(_:)``, ``InputError/handoff(_:)``, ``EngineError/transfer(_:)``.
  package func read(
    _ path: String,
    presenting certificate: ClientFiles.Certificate? = nil
  ) throws(EngineError) -> Contents {
    let json = try json(path)
    if SealedExport.isExport(json) {
      do { return .export(try SealedExport(json)) } catch { throw .transfer(.sealed(error)) }
    }
    do {
      let thumbprint = certificate?.key.thumbprint
      let handoff = try Handoff(json, receivedAt: world.clock.now(), isFile: true, certificate: thumbprint)
      return .credentials(
        NewCredentials(
          handoff,
          from: .user,
          presenting: certificate?.key,
          certificate?.files,
          redacting: world.held.redactor
        )
      )
    } catch {
      if let failure = foreign?(.json(json), path) { throw failure }
      throw .input(.handoff(ForeignDocument(json).map { .foreign($0) } ?? error))
    }
  }

  /// Reads any JSON, also that within JSON or within a file of rclone.
  package func json(_ path: String) throws(EngineError) -> JSON {
    let bytes: Secret
    do { bytes = try world.streams.input(path, Self.limit) } catch { throw .input(.stream(error)) }
    do { return try TokenDocument.json(in: bytes, atMost: Self.limit) } catch {
      if case .json = error, let failure = foreign?(.other(bytes), path) { throw failure }
      throw .input(.handoff(error))
    }
  }
}

/// Reads a client's secret, key or certificate from files that the user names.
///
/// A file must be the user's own and closed to other users; `-` is standard input.
package struct ClientFiles: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// The most bytes of a file; an RSA key of 8192 bits takes 7 KiB.
  private static let limit = 65_536

  /// Reads a client secret.
  ///
  /// - Throws: ``InputError/clientSecret(_:)``, ``InputError/secretFile(_:)``, ``InputError/stream(_:)``.
  package func secret(_ path: String) throws(EngineError) -> Secret {
    let file = try contents(of: path)
    let secret: Secret
    do { secret = try ClientSecret.read(file) } catch { throw .input(.clientSecret(error)) }
    world.held.hold(secret)
    return secret
  }

  /// Reads a client's key.
  ///
  /// - Throws: ``InputError/clientKey(_:)``, ``InputError/secretFile(_:)``, ``InputError/stream(_:)``.
  package func key(_ path: String) throws(EngineError) -> ClientKeyFile {
    let file = try contents(of: path)
    do { return try ClientKeyFile(file) } catch { throw .input(.clientKey(error)) }
  }

  /// A client's certificate with its key, and the files that they were read from.
  package struct Certificate: Sendable {
    package let key: CertifiedKey
    package let files: ClientCertificate.Files?
  }

  /// Reads a client's certificate, which is no secret, and its key, each from a file or a token.
  ///
  /// - Parameters:
  ///   - path: A PEM file, or the URI of a certificate in a token.
  ///   - keyPath: The user's own PEM file, or the URI of a key in a token.
  ///   - context: Gives access to tokens.
  /// - Returns: Both, which belong together.
  /// - Throws: ``InputError/certificate(_:)``, ``InputError/secretFile(_:)``, ``InputError/stream(_:)``,
  ///   ``KeyError/hardware(_:_:)``.
  package func certificate(
    _ path: String,
    key keyPath: String,
    _ context: EngineContext
  ) async throws(EngineError) -> Certificate {
    let chain = try await chain(path, context)
    let certified: CertifiedKey
    if keyPath.isTokenURI {
      certified = try await certificate(chain, by: context.objectInToken(keyPath))
    } else {
      let key = keyPath == path && path == "-" ? chain : try contents(of: keyPath)
      do { certified = try CertifiedKey(certificate: chain, key: key) } catch { throw .input(.certificate(error)) }
    }
    guard certified.endsAt > world.clock.now() else { throw .input(.certificateEnded(certified.endsAt)) }
    world.held.hold(ItemKind.certificateKey.secrets(in: certified.keyItem))
    // Of a FIFO there is nothing to read again.
    let paths = [path, keyPath].compactMap(absolute).filter(world.secretFiles.isRegular)
    return Certificate(
      key: certified,
      files: paths.count == 2 ? .init(certificate: paths[0], key: paths[1]) : nil
    )
  }

  private func chain(_ path: String, _ context: EngineContext) async throws(EngineError) -> Secret {
    guard path.isTokenURI else {
      do { return try world.streams.input(path, Self.limit) } catch { throw .input(.stream(error)) }
    }
    let object = try context.objectInToken(path)
    let der: [UInt8]
    do { der = try await object.certificate() } catch { throw .key(.hardware(error, .pkcs11)) }
    do { return try CertifiedKey.pem(der: der) } catch { throw .input(.certificate(error)) }
  }

  /// A certificate with the key in a token, which signs once to show that it is the certificate's.
  private func certificate(_ chain: Secret, by key: ObjectInToken) async throws(EngineError) -> CertifiedKey {
    let certified: CertifiedKey
    do { certified = try CertifiedKey(certificate: chain, in: key.uri, by: key.sign) } catch {
      throw .input(.certificate(error))
    }
    let message = world.entropy.bytes(32)
    let signature: [UInt8]
    do { signature = try await key.sign(CertifiedKey.digest(of: message)) } catch {
      throw .key(.hardware(error, .pkcs11))
    }
    do { try certified.requireOwnKey(signature, of: message) } catch { throw .input(.certificate(error)) }
    return certified
  }

  /// The user's own files of an account's certificate, if they are still there, with that certificate.
  package func files(of certificate: ClientCertificate) -> ClientCertificate.Files? {
    guard let files = certificate.files, let chain = try? world.streams.input(files.certificate, Self.limit),
      (try? CertifiedKey.thumbprint(of: chain)) == certificate.thumbprint, world.secretFiles.exists(files.key)
    else { return nil }
    return files
  }

  /// The path from the root of the file system; `nil` for standard input, and for another process's pipe.
  private func absolute(_ path: String) -> String? {
    guard path != "-", !path.isTokenURI, !path.hasPrefix("/dev/"), !path.hasPrefix("/proc/") else {
      return nil
    }
    guard !path.hasPrefix("/") else { return path }
    return world.environment.workingDirectory().map { "\($0)/\(path)" }
  }

  private func contents(of path: String) throws(EngineError) -> Secret {
    guard path != "-" else {
      do { return try world.streams.input(path, Self.limit) } catch { throw .input(.stream(error)) }
    }
    do { return try world.secretFiles.read(path, Self.limit, .input) } catch { throw .input(.secretFile(error)) }
  }
}

extension String {
  /// `true` for the URI of an object in a token, which no path of a file looks like.
  fileprivate var isTokenURI: Bool { hasPrefix("pkcs11:") }
}

/// The account that a document brings for one process, in a world that keeps nothing.
package struct DocumentAccount: Sendable {
  private let context: EngineContext
  private let foreign: ImportFile.ForeignFailure?

  /// - Parameters:
  ///   - context: Of a world that ``World/keepingNothing()`` made.
  ///   - foreign: Knows the files of other programs.
  package init(_ context: EngineContext, knowing foreign: ImportFile.ForeignFailure?) {
    self.context = context
    self.foreign = foreign
  }

  /// Reads a document, signs in if it describes how, and makes its account the active one.
  ///
  /// A refresh token is not kept: the token that a server gives in its place would be lost with the process, and the
  /// session with it.
  ///
  /// - Parameter path: A file, or `-` for standard input.
  /// - Throws: ``InputError/stream(_:)``, ``InputError/handoff(_:)``, ``EngineError/inputToken(_:)``, or the reason why
  ///   the sign-in failed.
  package func load(_ path: String) async throws(EngineError) {
    let json = try ImportFile(context.world, knowing: foreign).json(path)
    guard !SignInDescription.isLikely(json) else {
      let description: SignInDescription
      do { description = try SignInDescription(json) } catch { throw .input(.handoff(error)) }
      return try await store(try await signIn(description, path), allowing: description.origins)
    }
    let handoff: Handoff
    do { handoff = try Handoff(json, receivedAt: context.world.clock.now(), isFile: true) } catch {
      throw .input(.handoff(error))
    }
    var credentials = NewCredentials(handoff, from: .user, redacting: context.world.held.redactor)
    credentials.refreshToken = nil
    credentials.tokenLifetime.canRenew = false
    try await store(credentials, allowing: [])
  }

  private func store(_ credentials: NewCredentials, allowing origins: [Origin]) async throws(EngineError) {
    let options = AddAccount.Options(name: nil, activates: true, allowedOrigins: origins.map { Place($0) })
    _ = try await AddAccount(context).add(credentials, options)
  }

  private func signIn(_ description: SignInDescription, _ path: String) async throws(EngineError) -> NewCredentials {
    let paths = path == "-" ? InputPaths(context) : try InputPaths(of: path, context)
    var inputs = TokenInputs(
      subjectType: description.subjectType,
      requestedType: description.requestedType,
      audiences: description.audiences
    )
    inputs.clientAssertion = try description.clientAssertionFile.map { path throws(EngineError) in
      try paths.absolute(path, "clientAssertionFile")
    }
    if let file = description.grantFile { inputs.grantToken = .file(try paths.absolute(file, "subjectTokenFile")) }
    if let line = description.grantProgram {
      inputs.grantToken = .program(try paths.absolute(line, "subjectTokenCommand"))
    }
    let request = SignIn.Request(
      issuer: description.issuer,
      clientID: description.clientID,
      scope: description.scope,
      resources: description.resources,
      opensBrowser: false,
      redirectPort: nil,
      callbackTimeout: 0,
      settings: ClientSettings(grant: description.grant, inputs: inputs)
    )
    let provider = try description.provider.map { name throws(EngineError) in try Providers(context.world).resolve(name)
    }
    let person = SignInPerson(
      hasBrowser: false,
      show: { _ in },
      notify: { _ in },
      confirmHost: nil,
      confirmIdentity: { (_, _) in }
    )
    return try await ServerSignIn(context, person).signIn(
      ServerSignIn.Request(
        request,
        provider: provider,
        resource: nil,
        usesDevice: false,
        isDirect: true,
        accountName: nil
      )
    )
  }
}

/// Makes the paths of tokens absolute, so that later commands find them from any folder.
package struct InputPaths: Sendable {
  private let folder: String?

  /// The paths of a command line: relative to the working directory.
  package init(_ context: EngineContext) { folder = context.world.environment.workingDirectory() }

  /// The paths in a document: relative to its folder.
  package init(of document: String, _ context: EngineContext) throws(EngineError) {
    let path = try InputPaths(context).absolute(document, "--credentials")
    folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// A path as it means the same everywhere.
  ///
  /// - Parameters:
  ///   - path: As the user gave it.
  ///   - option: The option that has it.
  /// - Returns: The absolute path.
  /// - Throws: ``InputError/relativePath(option:)`` if there is no working directory.
  package func absolute(_ path: String, _ option: String) throws(EngineError) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder else { throw .input(.relativePath(option: option)) }
    return "\(folder)/\(path)"
  }

  /// A program's line with an absolute path, if it names the program by one.
  package func absolute(_ line: ProgramLine, _ option: String) throws(EngineError) -> ProgramLine {
    guard line.program.contains("/") else { return line }
    let words = [try absolute(line.program, option)] + line.arguments
    do { return try ProgramLine(words) } catch { throw .input(.malformed(error)) }
  }
}
