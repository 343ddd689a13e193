package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser
import Release
import Secrets

/// Makes a request as an account.
package struct RequestCommand: AcctCommand {
  package static var takesDocument: Bool { true }

  package static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Make a request as an account.",
    discussion: """
      The answer's body is printed as it arrives; the exit status reflects its status. A nonce \
      that the server asks for is sent, and a token that it rejects is renewed, once each.

        acct request URL
        acct request POST URL -H 'Content-Type: application/json' -d @post.json

      Bodies may be of any size. One from standard input is announced before it is sent (Expect: \
      100-continue) if it is larger than 1 MiB: it can't be sent twice. Redirects are not followed \
      without --follow.
      """
  )

  @Argument(help: ArgumentHelp("The method, GET or with -d POST if left out, and the URL.", valueName: "method url"))
  package var request: [String] = []

  @Option(
    name: [.customShort("H"), .customLong("header")],
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("One more header line.", valueName: "line")
  )
  package var header: [String] = []

  @Option(
    name: [.short, .long],
    parsing: .unconditional,
    help: ArgumentHelp("The body: literal text, @FILE, or - for standard input.")
  )
  package var data: String?

  @Flag(name: [.short, .long], help: "Print the status line and the headers, too.")
  package var include = false

  @Flag(name: [.customShort("L"), .long], help: "Follow redirects of GET and HEAD within the account's own origins.")
  package var follow = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Write to a file, which is replaced only when the body is complete.", valueName: "file")
  )
  package var output: String?

  @Option(
    help: ArgumentHelp(
      "Retry at most this often after a rate limit, 5xx or a network failure.",
      discussion:
        "After a 5xx or a lost answer only requests that may be repeated: not POST or PATCH.",
      valueName: "times"
    )
  )
  package var retry = 0

  @OptionGroup package var audience: AudienceOptions

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  package var credentials: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard (1...2).contains(request.count) else { throw ValidationError("request takes a URL, and a method before it") }
    guard retry >= 0 else { throw ValidationError("--retry is a number, 0 or more") }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let method = request.count == 2 ? request[0] : data == nil ? "GET" : "POST"
    let target = try Authorize.Target(method: method, url: request.last)
    guard let url = target.url else { throw .input(.malformed(.url)) }
    let account = try await context.choose(for: target.destination).account
    let fields: RequestFields
    do { fields = try RequestFields(header, for: account) } catch { throw .request(error) }
    let makeRequest = MakeRequest(context.engine)
    // Before the body is read; the request itself is permitted when it is made.
    do { try account.requireOwn(url.origin) } catch { throw .authorization(error) }
    let outgoing = MakeRequest.Request(
      method: method,
      url: url,
      fields: fields,
      retries: retry,
      follows: follow,
      purpose: audience.purpose
    )
    let reporter = RequestReporter(context, printsBody: (output ?? "-") == "-", follows: follow)
    let delivery = try ResponseDelivery(context.world, reporter, to: output ?? "-", withHead: include)
    let (data, streams) = (data, reporter.reportingProgress(context.world.streams))
    return try await delivery.deliver { () async throws(EngineError) in
      let body = try await requestBody(data, streams)
      return try await makeRequest.perform(outgoing, as: account, sending: body, report: reporter.report)
    }
  }
}

/// The body to send: `-` and `@FILE` name a source, any other text is sent itself.
private func requestBody(_ data: String?, _ streams: Streams) async throws(EngineError) -> RequestBody? {
  guard let data else { return nil }
  guard data == "-" || data.hasPrefix("@") else { return .bytes(Array(data.utf8)) }
  do {
    return try await .contents(of: data == "-" ? data : String(data.dropFirst()), in: streams)
  } catch {
    throw .input(.stream(error))
  }
}

/// Writes the answer to a request where the user wants it.
private struct ResponseDelivery: Sendable {
  private let sink: ByteSink
  private let signals: Signals
  private let reporter: RequestReporter
  private let withHead: Bool
  private let held: HeldSecrets
  /// `true` if a terminal shows the output.
  private let isShown: Bool

  /// Opens the place, before anything is sent.
  ///
  /// - Throws: ``FilesError/output(_:)``.
  init(_ world: World, _ reporter: RequestReporter, to path: String, withHead: Bool) throws(EngineError) {
    do { sink = try world.streams.sink(path) } catch { throw .files(.output(error)) }
    signals = world.signals
    held = world.held
    isShown = path == "-" && world.streams.outputIsTerminal
    self.reporter = reporter
    self.withHead = withHead
  }

  /// Writes the answer that `make` gets.
  ///
  /// - Parameter make: Makes the request.
  /// - Returns: ``ExitStatus/done``.
  /// - Throws: ``EngineError``; an answer that is a failure has been written nevertheless.
  func deliver(
    _ make: @escaping @Sendable () async throws(EngineError) -> MakeRequest.Answer
  ) async throws(EngineError) -> ExitStatus {
    // Output that can't be undone needs no cleanup: a signal has its usual effect.
    guard sink.isAtomic else { return try await written(make) }
    let work = Task { () async -> Result<ExitStatus, EngineError> in
      do throws(EngineError) { return .success(try await written(make)) } catch { return .failure(error) }
    }
    let watch = signals.watch { work.cancel() }
    defer { watch.release() }
    return try await work.value.get()
  }

  private func written(
    _ make: @Sendable () async throws(EngineError) -> MakeRequest.Answer
  ) async throws(EngineError) -> ExitStatus {
    // However it ends, the next message begins on a line of its own.
    defer { reporter.clear() }
    let answer: MakeRequest.Answer
    do { answer = try await make() } catch {
      sink.discard()
      throw error
    }
    // Some of the body may never have been asked for.
    reporter.clear()
    let head = answer.response.head
    if (300..<400).contains(head.status), answer.cause == nil, let location = head.field("Location") {
      reporter.reportRedirect(held.redactor.redact(location))
    }
    do throws(EngineError) { try await write(answer.response) } catch {
      sink.discard()
      await answer.response.cancel()
      throw error
    }
    if let cause = answer.cause {
      // A script gets the 401 as its status, even if something prevented a retry; the reason is printed as well.
      guard head.status == 401, ErrorMessage(cause).status != .signInRequired else { throw cause }
      reporter.reportCause(cause)
    }
    guard head.status < 400 else {
      guard answer.isLimited else {
        throw .request(.answered(status: head.status, retryAfter: answer.retryAfter, answer.origin))
      }
      throw .request(
        .limited(
          status: head.status,
          retryAfter: answer.retryAfter,
          isWorthRetrying: answer.isWorthRetrying,
          answer.origin
        )
      )
    }
    return .done
  }

  private func write(_ response: StreamedResponse) async throws(EngineError) {
    let progressBar = reporter.progressBar(of: response.head)
    if withHead { try put(response.head.lines(isShown ? shownBytes : FieldText.bytes)) }
    var received: Int64 = 0
    while true {
      let part: [UInt8]?
      do { part = try await response.next() } catch .cancelled { throw .cancelled } catch {
        throw .request(.brokenOff(error, received: received))
      }
      guard let part else { break }
      try put(part)
      received += Int64(part.count)
      await progressBar.add(part.count)
    }
    do { try sink.finish() } catch { throw .files(.output(error)) }
  }

  private func put(_ part: [UInt8]) throws(EngineError) {
    do { try sink.write(part) } catch { throw .files(.output(error)) }
  }
}

extension ResponseHead {
  /// With the line breaks of HTTP.
  ///
  /// - Parameter bytes: Converts a line: on a terminal it must not control it, elsewhere it stays
  ///   as it came.
  /// - Returns: The lines, and the empty one that ends them.
  fileprivate func lines(_ bytes: (String) -> [UInt8]) -> [UInt8] {
    let lines = [statusLine] + fields.map { "\($0.name): \($0.value)" } + [""]
    return lines.flatMap { bytes($0) + [0x0D, 0x0A] }
  }
}

/// A header line for a terminal.
///
/// A byte that is not UTF-8 becomes U+FFFD: 0x9B alone begins a control sequence in other encodings.
private func shownBytes(_ line: String) -> [UInt8] {
  Array(printable(String(decoding: FieldText.bytes(line), as: UTF8.self)).utf8)
}
