import AcctModel
package import Secrets
package import AcctPorts
package import AcctProtocol
package import StrictJSON

/// Reads JSON that the user provides: at most 1 MiB, from a file or standard input.
package struct ImportFile: Sendable {
  private let world: World
  private let foreign: ForeignFailure?

  /// Returns the failure for a file that another program has written; `nil` if none is known to have.
  package typealias ForeignFailure = @Sendable (_ contents: ForeignText, _ path: String) -> EngineError?

  /// What may be another program's file.
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
