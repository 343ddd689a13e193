import AcctEngine
import AcctModel
import AcctPorts
package import AcctProtocol
import Secrets
import Text

/// Sends the user to a backend's sign-in, and waits for its callback at the app's address.
struct BackendCallback: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  private var world: World { context.world }

  /// Opens the channels for a callback, sends the user to the sign-in, and returns the callback's contents.
  ///
  /// A callback that breaks the rules, or that `accept` rejects, is answered as unexpected, or
  /// reported if it was pasted; then the wait continues.
  ///
  /// - Parameters:
  ///   - route: The way to the sign-in and back.
  ///   - required: The parameters that must be present.
  ///   - report: Takes the prompts to show while it waits.
  ///   - start: Returns the address for the user; called once a callback could be received.
  ///   - accept: Parses the parameters, or throws the flaw in them.
  /// - Returns: What `accept` returns.
  /// - Throws: What `start` throws; ``SignInError/refused(code:description:)`` if the callback is a rejection,
  ///   ``SignInError/listen(_:)``, ``EngineError/cancelled``. Nothing is left behind.
  func receive<Answer: Sendable>(
    _ route: CallbackRoute,
    requiring required: [String],
    report: @escaping @Sendable (SignInPrompt) -> Void,
    start: () async throws(EngineError) -> HTTPURL,
    accept: @escaping @Sendable (QueryParameters) throws(CallbackFlaw) -> Answer
  ) async throws(EngineError) -> Answer {
    let listening: Listening?
    do {
      listening =
        if let port = route.port { try await world.listener.listen(.standard(port: port)) } else {
          nil
        }
    } catch {
      throw .signIn(.listen(error))
    }
    let outcome: Result<Outcome<Answer>, EngineError>
    do throws(EngineError) {
      let address = try await start()
      let rule = CallbackRule(expected: route.expected, required: required)
      let channels = CallbackReceiver<Outcome<Answer>>
        .Channels(listening: listening, desktop: route.scheme.map(desktop), alwaysAsks: route.asksAlways)
      let receiver = CallbackReceiver(context, channels, timeout: route.timeout) { text in
        judge(text, by: rule, world.held, accept)
      }
      outcome = .success(
        try await receiver.answer(
          at: SignInAddress(address.description),
          of: address.origin,
          opensBrowser: route.opensBrowser,
          report: report
        )
      )
    } catch {
      outcome = .failure(error)
    }
    await listening?.close()
    switch try outcome.get() {
    case .accepted(let answer): return answer
    case .refused(let code, let description): throw .signIn(.refused(code: code, description: description))
    }
  }

  /// Registers for a scheme's addresses; without them the callback can still be pasted.
  private func desktop(_ scheme: String) -> @Sendable (@Sendable (SignInPrompt) -> Void) async -> SchemeReception? {
    let schemes = context.schemes
    return { report in
      do throws(SchemeHandlerFailure) { return try await schemes.register(scheme) } catch {
        report(.told("the desktop can't deliver \(scheme): addresses: \(words(for: error))"))
        return nil
      }
    }
  }
}

/// The way of a backend's user to the sign-in and back.
package struct CallbackRoute: Sendable {
  /// The value of `--callback`.
  let expected: CallbackPlace?
  /// The value of `--redirect-port`.
  let redirectPort: Int?
  let opensBrowser: Bool
  /// The longest wait for the callback, in seconds.
  let timeout: Int64

  /// The part of a sign-in by this way that an account keeps.
  func settings(at backend: String, for identifier: String?) -> SignInSettings {
    SignInSettings(
      redirectPort: redirectPort,
      backend: backend,
      identifier: identifier,
      callback: expected?.prefix
    )
  }

  /// The port to listen on, if the callback can reach the listener at all.
  var port: Int? {
    if let redirectPort { return redirectPort }
    guard let expected, expected.isLoopback, expected.scheme == "http", expected.host != "[::1]",
      ["", "/callback"].contains(expected.path)
    else { return nil }
    return expected.port.map(Int.init)
  }

  /// The app's scheme to register on the desktop: only one that the user has named.
  var scheme: String? { expected.flatMap { $0.isAppScheme ? $0.scheme : nil } }

  /// `true` if the callback is not certain to reach the listener, and so may have to be pasted.
  var asksAlways: Bool { !(expected?.isLoopback ?? false) || port == nil }
}

private enum Outcome<Answer: Sendable>: Sendable {
  case accepted(Answer)
  case refused(code: String, description: String?)
}

private func judge<Answer>(
  _ address: String,
  by rule: CallbackRule,
  _ held: HeldSecrets,
  _ accept: (QueryParameters) throws(CallbackFlaw) -> Answer
) -> CallbackReceiver<Outcome<Answer>>.Verdict {
  do throws(CallbackFlaw) {
    switch try rule.read(address) {
    case .refused(let code, let description):
      let words = description.map(held.redactor.redact)
      return .taken(.refused(code: held.redactor.redact(code), description: words), .failed)
    case .complete(let parameters): return .taken(.accepted(try accept(parameters)), .done)
    }
  } catch {
    var flaw = error
    if case .doubled(let name) = flaw { flaw = .doubled(name: held.redactor.redact(name)) }
    return .wrong(.told("this is not the callback of this sign-in: \(words(for: flaw)); paste the whole address"))
  }
}

/// The target of a callback: an app's own scheme, or this machine's loopback (RFC 8252, section 7).
///
/// It is read more strictly than a browser would read it: forms that clients are known to read in different ways
/// (user information, encoded hosts, dot segments) are rejected.
package struct CallbackPlace: Equatable, Sendable {
  /// In lower case.
  package let scheme: String
  /// In lower case; `nil` where there is no authority, or an empty one.
  package let host: String?
  package let port: UInt16?
  /// As it is written, but for a trailing slash.
  package let path: String

  /// Reads the value of `--callback`, such as `limit://auth` or `http://127.0.0.1:8080/callback`.
  ///
  /// - Parameter prefix: Scheme, and host and path if those are known too.
  /// - Throws: ``CallbackFlaw/malformed``, ``CallbackFlaw/foreign``.
  package init(prefix: String) throws(CallbackFlaw) {
    guard prefix.utf8.count <= CallbackAddress.limit else { throw .tooLong }
    try self.init(prefix[...])
    guard isAppScheme || isLoopback else { throw .foreign }
  }

  init(_ text: Substring) throws(CallbackFlaw) {
    guard let colon = text.firstIndex(of: ":"), text[..<colon].isScheme else { throw .malformed }
    scheme = text[..<colon].lowercased()
    var rest = text[colon...].dropFirst()
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      (host, port) = try Self.split(rest[..<end])
      rest = rest[end...]
    } else {
      (host, port) = (nil, nil)
    }
    guard rest.utf8.allSatisfy(\.isPathCharacter), !rest.split(separator: "/").contains(where: \.isDotSegment)
    else { throw .malformed }
    path = String(rest.hasSuffix("/") ? rest.dropLast() : rest)
  }

  private static func split(_ authority: Substring) throws(CallbackFlaw) -> (host: String?, port: UInt16?) {
    if authority.isEmpty { return (nil, nil) }
    let isAddress = authority.hasPrefix("[::1]")
    let end =
      isAddress
      ? authority.firstIndex(of: "]").map(authority.index(after:)) ?? authority.endIndex
      : authority.firstIndex(of: ":") ?? authority.endIndex
    let host = authority[..<end]
    guard !host.isEmpty, isAddress || host.utf8.allSatisfy(\.isUnreserved) else { throw .malformed }
    let tail = authority[end...]
    if tail.isEmpty { return (host.lowercased(), nil) }
    guard tail.hasPrefix(":"), tail.dropFirst().utf8.allSatisfy(\.isASCIIDigit),
      let port = UInt16(tail.dropFirst()), port > 0
    else { throw .malformed }
    return (host.lowercased(), port)
  }

  /// The text that is read as this place.
  package var prefix: String {
    let authority = host.map { "//\($0)\(port.map { ":\($0)" } ?? "")" }
    return "\(scheme):\(authority ?? (path.isEmpty ? "//" : ""))\(path)"
  }

  /// `true` for an app's own scheme, rather than one that something else answers to.
  package var isAppScheme: Bool { !Self.takenSchemes.contains(scheme) }

  private static let takenSchemes: Set<String> = [
    "about", "blob", "chrome", "data", "file", "ftp", "ftps", "http", "https", "javascript", "mailto", "news", "sftp",
    "sip", "sips", "sms", "ssh", "tel", "trash", "vbscript", "view-source", "ws", "wss", "xmpp",
  ]

  /// `true` for http or https on this machine.
  package var isLoopback: Bool {
    ["http", "https"].contains(scheme) && ["127.0.0.1", "localhost", "[::1]"].contains(host)
  }

  /// `true` if this place, as a prefix, covers a callback's place.
  ///
  /// The prefix allows any value for a part that it leaves out; its path ends at a segment's end. The names of
  /// loopback are one, as is any port if the prefix names none (RFC 8252, section 7.3).
  package func covers(_ place: CallbackPlace) -> Bool {
    guard scheme == place.scheme else { return false }
    if host == nil && path.isEmpty { return true }
    guard host == place.host || isLoopback && place.isLoopback, port == place.port || isLoopback && port == nil
    else { return false }
    return path.isEmpty || place.path == path || place.path.hasPrefix(path + "/")
  }
}

extension Substring {
  /// RFC 3986, section 3.1.
  fileprivate var isScheme: Bool {
    guard let first = utf8.first, first.isASCIILetter, utf8.count <= 64 else { return false }
    return utf8.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
  }

  fileprivate var isDotSegment: Bool { [".", ".."].contains(lowercased().replacing("%2e", with: ".")) }
}

extension UInt8 {
  fileprivate var isPathCharacter: Bool { isUnreserved || "/%:@!$&'()*+,;=".utf8.contains(self) }
}

/// The conditions under which a callback is accepted.
package struct CallbackRule: Sendable {
  /// The place that `--callback` names; if `nil`, any app's scheme, or loopback.
  package var expected: CallbackPlace?
  /// The parameters that must be there, and not be empty.
  package var required: [String]

  package init(expected: CallbackPlace?, required: [String]) {
    self.expected = expected
    self.required = required
  }

  /// The contents of a valid callback.
  package enum Reading: Equatable, Sendable {
    /// Everything that is required is there.
    case complete(QueryParameters)
    /// The backend, or the user there, refused (RFC 6749, section 4.1.2.1).
    case refused(code: String, description: String?)
  }

  /// Reads an address.
  ///
  /// - Parameter address: The address, from any source.
  /// - Returns: The callback's parameters, or the error that it reports.
  /// - Throws: ``CallbackFlaw``; the right one may still come.
  package func read(_ address: String) throws(CallbackFlaw) -> Reading {
    let callback = try CallbackAddress(address)
    guard callback.place.isAppScheme || callback.place.isLoopback else { throw .foreign }
    guard expected?.covers(callback.place) ?? true else { throw .unexpected }
    if let code = callback.parameters["error"] {
      return .refused(code: code, description: callback.parameters["error_description"])
    }
    for name in required where callback.parameters[name] == nil { throw .incomplete(missing: name) }
    return .complete(callback.parameters)
  }
}

/// The address at which the sign-in at a backend ended, with all of its parameters.
package struct CallbackAddress: Sendable {
  package let place: CallbackPlace
  package let parameters: QueryParameters

  /// In bytes; a sealed session has a few thousand.
  package static let limit = 1 << 15

  /// Reads an address; spaces around it are dropped, as is a fragment.
  ///
  /// - Parameter text: `limit://auth?code=…`, `http://127.0.0.1:8080/callback?…`.
  /// - Throws: ``CallbackFlaw`` for a text that is not an address, or has a parameter twice.
  package init(_ text: String) throws(CallbackFlaw) {
    guard text.utf8.count <= Self.limit else { throw .tooLong }
    let address = text.trimmed.prefix { $0 != "#" }
    guard let mark = address.firstIndex(of: "?") else {
      // A missing place is the better error to report first.
      place = try CallbackPlace(address)
      parameters = .none
      return
    }
    let query = address[mark...].dropFirst()
    guard query.utf8.allSatisfy(\.isVisibleASCII) else { throw .malformed }
    place = try CallbackPlace(address[..<mark])
    do {
      parameters = try QueryParameters(String(query)) { $0 == "error_description" || $0 == "error_uri" }
    } catch .doubled(let name) {
      throw .doubled(name: name)
    } catch {
      throw .malformed
    }
  }
}

/// Why an address is not the callback that is waited for; never with a value, which may be a secret.
package enum CallbackFlaw: Error, Equatable, Sendable {
  case tooLong
  /// Not an address, or one with escapes or characters that it must not have.
  case malformed
  /// A parameter is there twice, and nothing says which one counts.
  case doubled(name: String)
  /// http or https to another machine, or a scheme that is no app's.
  case foreign
  /// Another scheme, host or path than `--callback` names.
  case unexpected
  case incomplete(missing: String)
  /// A parameter is there and malformed.
  case unfit(name: String)
  /// A parameter names another identity than the requested one.
  case mismatched(name: String)
}

extension String {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    let end = start.lastIndex { ![" ", "\t", "\r"].contains($0) }
    return end.map { start[...$0] } ?? ""
  }
}
