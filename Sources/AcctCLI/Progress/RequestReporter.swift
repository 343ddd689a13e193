import AcctModel
import AcctEngine
import AcctPorts

/// What a request says on standard error while it is made.
struct RequestVoice: Sendable {
  private let say: @Sendable (String) -> Void
  private let show: (@Sendable (String) -> Void)?
  private let follows: Bool

  /// - Parameters:
  ///   - context: What the user wants to hear.
  ///   - printsBody: Whether the body goes to standard output, where a terminal shows it.
  ///   - follows: Whether redirects are followed where they can be.
  init(_ context: Context, printsBody: Bool, follows: Bool) {
    self.follows = follows
    let streams = context.world.streams
    let isQuiet = context.options.quiet
    say = { text in if !isQuiet { streams.notice("acct: \(text)") } }
    let isDumb = context.world.surroundings.variable("TERM") == "dumb"
    let isMixed = printsBody && streams.outputIsTerminal
    show = isQuiet || context.options.json || isDumb || isMixed ? nil : streams.passing
  }

  @Sendable func tell(_ event: MakeRequest.Event) {
    switch event {
    case .notice(let notice): say(words(for: notice))
    case .waiting(let left, let total, let origin):
      if left == total { say("\(origin) can't answer now; trying again in \(duration(total))") }
      show?(left > 0 ? "trying again in \(duration(left))" : "")
    }
  }

  /// Takes away what was shown of what went on.
  func clear() { show?("") }

  /// Says what kept a refused request from being made once more.
  func tellObstacle(_ obstacle: EngineError) { say(Complaint(obstacle).message) }

  /// Says where the server would have the client go.
  func tellRedirect(_ location: String) {
    let words =
      follows
      ? "this redirect is not followed; it leads to"
      : "redirects are not followed; this one leads to"
    say("\(words) \(printable(location))")
  }

  /// Shows how far the answer's body is.
  func meter(of head: ResponseHead) -> Meter {
    Meter("received", of: head.field("Content-Length").flatMap { Int64($0) }, show)
  }

  /// Shows how far the request's body is.
  func metered(_ streams: Streams) -> Streams {
    guard let show else { return streams }
    var metered = streams
    metered.source = { path throws(StreamFailure) in
      let source = try streams.source(path)
      let meter = Meter("sent", of: source.length, show)
      return ByteSource(length: source.length) { () async throws(StreamFailure) in
        let part = try await source.next()
        if let part { await meter.add(part.count) }
        return part
      }
    }
    return metered
  }
}
