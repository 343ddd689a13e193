package import AcctModel
package import Secrets

/// Standard input, output and error, and files that the user names.
package struct Streams: Sendable {
  /// Writes bytes to standard output.
  package var output: @Sendable (Secret) throws(StreamFailure) -> Void
  /// Writes one line to standard error.
  package var notice: @Sendable (String) -> Void
  /// Reads a file that the user named, or standard input for `-`, up to a number of bytes.
  package var input: @Sendable (_ path: String, _ limit: Int) throws(StreamFailure) -> Secret
  /// Shows a line on standard error that replaces the last one shown this way.
  ///
  /// An empty one erases that line, and so does a notice. `nil` if standard error is not a
  /// terminal.
  package var passing: (@Sendable (String) -> Void)?
  /// Writes an address on a line of standard error, as a link that its terminal can open (OSC 8).
  ///
  /// `nil` where standard error is not a terminal.
  package var link: (@Sendable (HTTPURL) -> Void)?
  /// Hands a text to the clipboard of the terminal at standard error, if it has one (OSC 52).
  ///
  /// `nil` where standard error is not a terminal.
  package var copy: (@Sendable (String) -> Void)?
  /// `true` if standard output is a terminal.
  package var outputIsTerminal: Bool
  /// Returns the current number of that terminal's columns; `nil` without a terminal, or if it doesn't say.
  package var columns: @Sendable () -> Int?
  /// Returns the current number of columns of the terminal at standard error; `nil` as for ``columns``.
  package var errorColumns: @Sendable () -> Int? = { nil }
  /// Opens a file that the user named, or standard input for `-`, to be read part by part.
  ///
  /// A regular file can be opened again and again; of anything else the bytes come once.
  package var source: @Sendable (_ path: String) throws(StreamFailure) -> ByteSource
  /// Opens a file that the user named, or standard output for `-`, to be written part by part.
  package var sink: @Sendable (_ path: String) throws(StreamFailure) -> ByteSink
  /// Replaces a file that the user named by one that any user may read (0644), atomically.
  ///
  /// Others may write to the folder if it is sticky. No other user but root can choose what is replaced.
  package var publish: @Sendable (_ path: String, Secret) throws(PublishFailure) -> Void = {
    path,
    _ throws(PublishFailure) in throw .failed(path: path, reason: "")
  }

  package init(
    output: @escaping @Sendable (Secret) throws(StreamFailure) -> Void,
    notice: @escaping @Sendable (String) -> Void,
    input: @escaping @Sendable (_ path: String, _ limit: Int) throws(StreamFailure) -> Secret,
    outputIsTerminal: Bool,
    source: @escaping @Sendable (_ path: String) throws(StreamFailure) -> ByteSource,
    sink: @escaping @Sendable (_ path: String) throws(StreamFailure) -> ByteSink,
    columns: @escaping @Sendable () -> Int? = { nil }
  ) {
    self.output = output
    self.notice = notice
    self.input = input
    self.outputIsTerminal = outputIsTerminal
    self.source = source
    self.sink = sink
    self.columns = columns
  }
}

/// Why a stream or a named file could not be used.
package enum StreamFailure: Error, Equatable, Sendable {
  /// The system's reason, and the name as the user gave it (`standard output` for the streams).
  case failed(name: String, reason: String)
  /// More than the limit, in bytes.
  case tooLarge(name: String, limit: Int)
}

/// Why a file that any user may read could not be replaced.
package enum PublishFailure: Error, Equatable, Sendable {
  /// In words that follow the path and a colon.
  case failed(path: String, reason: String)
  /// Another user owns this part of the path, or can replace what is in it.
  case unsafe(path: String, reason: String)
}
