import AcctConsole
import AcctModel
import AcctEngine
import Secrets
import AcctPorts

/// Writes the answer to a request where the user wants it.
struct ResponseDelivery: Sendable {
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
