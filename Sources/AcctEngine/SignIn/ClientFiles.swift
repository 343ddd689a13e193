package import Secrets
package import AcctModel
package import AcctPorts
package import AcctProtocol

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
