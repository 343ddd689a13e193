package import AcctPorts
package import AcctProtocol

/// Why a backend of an app did not sign the user in.
package enum BackendError: Error, Equatable, Sendable {
  /// `--callback` is not where a callback can end.
  case callbackPrefix(String, CallbackFlaw)
  /// Nobody waits for the callback that the desktop opened, or it could not be handed over.
  case undelivered(SchemeHandlerFailure)
  /// The process that waits wants another callback.
  case unexpectedCallback
}
