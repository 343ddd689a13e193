package import AcctModel
package import Secrets

/// The user's browser.
package struct Browser: Sendable {
  /// Opens an address: `$BROWSER` if that is set, else `xdg-open`.
  ///
  /// Returns `true` if it seems to work: the program that was started did not fail within a second.
  package var open: @Sendable (_ address: String) async -> Bool

  /// Opens an address with a command, written as `BROWSER` is.
  package var openWith: @Sendable (_ address: String, _ command: String) async -> Bool

  package init(
    open: @escaping @Sendable (_ address: String) async -> Bool,
    openWith: @escaping @Sendable (_ address: String, _ command: String) async -> Bool = { _, _ in false }
  ) {
    self.open = open
    self.openWith = openWith
  }
}

/// A listener on 127.0.0.1 that takes callbacks (RFC 8252, section 7.3).
package struct CallbackListener: Sendable {
  /// Starts to listen at an address, on a free port if it has none.
  package var listen: @Sendable (LoopbackRedirect) async throws(ListenFailure) -> Listening

  package init(listen: @escaping @Sendable (LoopbackRedirect) async throws(ListenFailure) -> Listening) {
    self.listen = listen
  }
}

/// A listener at work.
package struct Listening: Sendable {
  package let port: Int
  /// Waits for the next request to the address's path; `nil` after ``close`` or when cancelled.
  ///
  /// Any other path is answered 404 by the listener itself.
  package let next: @Sendable () async -> Callback?
  /// Stops listening, after the last answer has been sent.
  package let close: @Sendable () async -> Void

  package init(
    port: Int,
    next: @escaping @Sendable () async -> Callback?,
    close: @escaping @Sendable () async -> Void
  ) {
    self.port = port
    self.next = next
    self.close = close
  }
}

/// One request to the callback address, and the way to answer it.
package struct Callback: Sendable {
  /// The query, without its `?`; a code is a secret for as long as it can be exchanged.
  package let query: Secret
  package let caller: Caller
  package let answer: @Sendable (CallbackPage) -> Void

  package init(query: Secret, caller: Caller, answer: @escaping @Sendable (CallbackPage) -> Void) {
    self.query = query
    self.caller = caller
    self.answer = answer
  }

  /// The caller of the callback address.
  package enum Caller: Hashable, Sendable {
    /// A program of this user's, and as far as known no page that loads something in the
    /// background.
    case ownUser
    /// A program of another user's, or of an unknown one.
    case otherUser
    /// A page in a browser, rather than the browser that navigates there.
    case page
  }
}

/// The page that the browser shows after the callback.
package enum CallbackPage: Sendable {
  /// Signed in; the page can be closed.
  case done
  /// The server refused, or its answer can't be trusted: the terminal says more.
  case failed
  /// It is not the expected callback.
  case unexpected
  /// Its query is empty: the answer may stand in the fragment, which no server sees. The page calls the address again with
  /// that as the query.
  case withoutAnswer
  /// Callbacks of this caller are not read.
  case refused
}

/// Why there is no listener.
package enum ListenFailure: Error, Equatable, Sendable {
  case failed(port: Int?, reason: String)
  /// A unix socket can't be created at that path.
  case unusableSocket(path: String, reason: String)
}
