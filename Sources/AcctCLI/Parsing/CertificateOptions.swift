import AcctConsole
import AcctEngine
import ArgumentParser

/// The certificate that a client presents in TLS (RFC 8705).
struct CertificateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The client's certificate for TLS and its chain, in PEM or a token.", valueName: "file|uri")
  )
  var cert: String?

  @Option(help: ArgumentHelp("The certificate's private key, in your own PEM file or a token.", valueName: "file|uri"))
  var certKey: String?

  var isUsed: Bool { cert != nil || certKey != nil }

  func validate() throws {
    guard (cert == nil) == (certKey == nil) else { throw ValidationError("--cert and --cert-key go together") }
  }

  /// Reads both files; `nil` if none is named.
  func read(_ context: Context) async throws(EngineError) -> ClientFiles.Certificate? {
    guard let cert, let certKey else { return nil }
    return try await ClientFiles(context.world).certificate(cert, key: certKey, context.engine)
  }
}
