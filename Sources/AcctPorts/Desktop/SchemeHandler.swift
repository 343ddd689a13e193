package import Secrets

/// The desktop's way to open addresses of an app's own scheme (`x-scheme-handler/SCHEME`).
package struct SchemeHandler: Sendable {
  /// Makes acct the handler of such addresses until the returned value is closed.
  package var register: @Sendable (_ scheme: String) async throws(SchemeHandlerFailure) -> SchemeReception
  /// Delivers an address to the process that waits for it, and returns its verdict.
  ///
  /// The desktop may run acct in another environment than the waiting process, so its entry names the folder; without
  /// that, the folder is the one where this process itself would wait.
  package var deliver:
    @Sendable (_ address: Secret, _ folder: String?) async throws(SchemeHandlerFailure) ->
      CallbackPage

  package init(
    register:
      @escaping @Sendable (_ scheme: String) async throws(SchemeHandlerFailure) -> SchemeReception,
    deliver:
      @escaping @Sendable (_ address: Secret, _ folder: String?) async throws(SchemeHandlerFailure)
      -> CallbackPage
  ) {
    self.register = register
    self.deliver = deliver
  }

  /// Without a desktop.
  package static let none = SchemeHandler(
    register: { _ throws(SchemeHandlerFailure) in throw .failed(reason: "there is no desktop") },
    deliver: { _, _ throws(SchemeHandlerFailure) in throw .nobodyWaits }
  )
}

/// A scheme that is acct's for now.
package struct SchemeReception: Sendable {
  /// Waits for the next address; `nil` when cancelled.
  package let next: @Sendable () async -> HandedAddress?
  /// Returns the scheme to its previous handler.
  package let close: @Sendable () async -> Void

  package init(next: @escaping @Sendable () async -> HandedAddress?, close: @escaping @Sendable () async -> Void) {
    self.next = next
    self.close = close
  }
}

/// One address that the desktop opened, and the way to answer it.
package struct HandedAddress: Sendable {
  /// A code in it is a secret for as long as it can be exchanged.
  package let address: Secret
  package let answer: @Sendable (CallbackPage) -> Void

  package init(address: Secret, answer: @escaping @Sendable (CallbackPage) -> Void) {
    self.address = address
    self.answer = answer
  }
}

/// Why the desktop can't be used.
package enum SchemeHandlerFailure: Error, Equatable, Sendable {
  /// No sign-in waits for a callback.
  case nobodyWaits
  /// The system's reason.
  case failed(reason: String)
}
