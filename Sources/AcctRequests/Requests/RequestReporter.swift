import AcctConsole
import AcctEngine
import AcctModel
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

/// Shows how far a large body is, on a terminal.
actor ProgressBar {
  /// A body below this size, in bytes, is complete before a bar could be read.
  private static let smallest: Int64 = 4 << 20

  private let show: (@Sendable (String) -> Void)?
  private let label: String
  private let total: Int64?
  private var count: Int64 = 0
  private var shown: Int64 = -1

  /// - Parameters:
  ///   - label: The direction, such as `sent`.
  ///   - total: In bytes, if it is known.
  ///   - show: Shows a line in place of the last one; `nil` shows none.
  init(_ label: String, of total: Int64?, _ show: (@Sendable (String) -> Void)?) {
    self.label = label
    // A server may announce any length.
    self.total = total.flatMap { $0 > 0 ? $0 : nil }
    self.show = show
  }

  /// Counts bytes that have passed.
  func add(_ bytes: Int) {
    count += Int64(bytes)
    guard let show, max(count, total ?? 0) >= Self.smallest else { return }
    // By the hundredth, or by some MiB: a line for each part would cost more than the part.
    let step = total.map { count * 100 / $0 } ?? count >> 23
    guard step != shown else { return }
    shown = step
    show(line)
  }

  /// The bar comes last: a narrow terminal cuts it off first.
  private var line: String {
    guard let total else { return "\(label) \(size(count))" }
    let done = Int(min(count, total) * 24 / total)
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: 24 - done)
    let percent = "\(min(count, total) * 100 / total)"
    // As wide as 100, so that only the bar changes its width.
    let padding = String(repeating: " ", count: 3 - percent.utf8.count)
    return "\(label) \(padding)\(percent) % of \(size(total)) [\(bar)]"
  }
}

/// A number of bytes in the unit that fits, with one decimal: `2.0 GiB`.
func size(_ bytes: Int64) -> String {
  let units = ["B", "KiB", "MiB", "GiB", "TiB"]
  var unit = 0
  var scaled = bytes
  var tenths: Int64 = 0
  while scaled >= 1024, unit < units.count - 1 {
    tenths = (scaled % 1024) * 10 / 1024
    scaled /= 1024
    unit += 1
  }
  return unit == 0 ? "\(scaled) B" : "\(scaled).\(tenths) \(units[unit])"
}
