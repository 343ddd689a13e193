package import Secrets
package import AcctPorts
package import AcctProtocol

/// Reads a client's secret or key from files that the user names.
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

  private func contents(of path: String) throws(EngineError) -> Secret {
    guard path != "-" else {
      do { return try world.streams.input(path, Self.limit) } catch { throw .input(.stream(error)) }
    }
    do { return try world.secretFiles.read(path, Self.limit) } catch { throw .input(.secretFile(error)) }
  }
}
