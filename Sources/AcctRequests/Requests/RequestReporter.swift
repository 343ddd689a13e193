import AcctConsole
import AcctModel
import AcctEngine
import AcctPorts

/// The messages of a request on standard error while it is made.
struct RequestReporter: Sendable {
  private let write: @Sendable (String) -> Void
  private let show: (@Sendable (String) -> Void)?
  private let follows: Bool
  private let clock: Clock

  /// - Parameters:
  ///   - context: The user's choices about output.
  ///   - printsBody: `true` if the body goes to standard output, where a terminal shows it.
  ///   - follows: `true` if redirects are followed where they can be.
  init(_ context: Context, printsBody: Bool, follows: Bool) {
    self.follows = follows
    clock = context.world.clock
    let streams = context.world.streams
    let isQuiet = context.options.quiet
    write = { text in if !isQuiet { streams.notice("acct: \(text)") } }
    let isDumb = context.world.environment.variable("TERM") == "dumb"
    let isMixed = printsBody && streams.outputIsTerminal
    show = isQuiet || context.options.json || isDumb || isMixed ? nil : streams.passing
  }

  @Sendable func report(_ event: MakeRequest.Event) {
    switch event {
    case .notice(let notice): write(words(for: notice))
    case .waiting(let left, let total, let origin):
      if left == total {
        let time = total < 60 ? "" : ", at \(moment(clock.now().adding(seconds: total), by: clock))"
        write("\(origin) can't answer now; trying again in \(duration(total))\(time)")
      }
      show?(left > 0 ? "trying again in \(duration(left))" : "")
    }
  }

  /// Erases the progress line.
  func clear() { show?("") }

  /// Says why a rejected request was not repeated.
  func reportCause(_ cause: EngineError) { write(ErrorMessage(cause).text) }

  /// Says where the server redirects the client.
  func reportRedirect(_ location: String) {
    let words =
      follows
      ? "this redirect is not followed; it leads to"
      : "redirects are not followed; this one leads to"
    write("\(words) \(printable(location))")
  }

  /// Shows the progress of the answer's body.
  func progressBar(of head: ResponseHead) -> ProgressBar {
    ProgressBar("received", of: head.field("Content-Length").flatMap { Int64($0) }, show)
  }

  /// Shows the progress of the request's body.
  func reportingProgress(_ streams: Streams) -> Streams {
    guard let show else { return streams }
    var reportingProgress = streams
    reportingProgress.source = { path throws(StreamFailure) in
      let source = try streams.source(path)
      let progressBar = ProgressBar("sent", of: source.length, show)
      return ByteSource(length: source.length) { () async throws(StreamFailure) in
        let part = try await source.next()
        if let part { await progressBar.add(part.count) }
        return part
      }
    }
    return reportingProgress
  }
}
