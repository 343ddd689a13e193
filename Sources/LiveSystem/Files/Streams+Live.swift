import AcctModel
import Secrets
package import AcctPorts
import Glibc
import PrivateFiles
import Synchronization

extension Streams {
  /// The process's own streams.
  ///
  /// A reader that disconnects is an error like any other, since ``Hardening/closeProcess()``
  /// ignores SIGPIPE.
  ///
  /// - Parameters:
  ///   - input: The descriptor of standard input.
  ///   - output: The descriptor of standard output.
  ///   - error: The descriptor of standard error.
  /// - Returns: The streams.
  package static func live(
    input: Int32 = STDIN_FILENO,
    output: Int32 = STDOUT_FILENO,
    error: Int32 = STDERR_FILENO
  ) -> Streams {
    var streams = Streams(
      output: { secret throws(StreamFailure) in try write(secret, to: output) },
      notice: { line in
        // One call for the whole line, so that those of two processes do not mix. If standard error
        // is closed, there is no place left for the message.
        try? writeAll(Array("\(printable(line))\n".utf8).span, to: error)
      },
      input: { path, limit throws(StreamFailure) in
        try path == "-"
          ? read(input, "standard input", limit: limit) : read(path, limit: limit)
      },
      outputIsTerminal: isatty(output) == 1,
      source: { path throws(StreamFailure) in path == "-" ? .descriptor(input, "standard input") : try .file(path) },
      sink: { path throws(StreamFailure) in path == "-" ? .descriptor(output, "standard output") : try .file(path) },
      columns: { terminalSize(output)?.columns }
    )
    streams.publish = { path, contents throws(PublishFailure) in
      do throws(PrivateFilesError) {
        try contents.withBytes { bytes throws(PrivateFilesError) in try PrivateFiles.publish(path, bytes) }
      } catch {
        throw PublishFailure(error)
      }
    }
    guard isatty(error) == 1 else { return streams }
    let isPassing = Mutex(false)
    let notice = streams.notice
    let passing = { @Sendable (line: String) in
      isPassing.withLock { isPassing in
        // Never in the place of a question that is open.
        guard isPassing || !line.isEmpty, line.isEmpty || !isQuestionOpen.load(ordering: .relaxed) else { return }
        isPassing = !line.isEmpty
        // Back to the line's start, away with the one before, and the text without line breaks of
        // the terminal's own (DECAWM): what has become two lines could not be taken away.
        let text = line.isEmpty ? "" : "\u{1B}[?7l\(printable(line))\u{1B}[?7h"
        try? writeAll(Array("\r\u{1B}[K\(text)".utf8).span, to: error)
      }
    }
    streams.passing = passing
    streams.errorColumns = { terminalSize(error)?.columns }
    streams.notice = { line in
      passing("")
      notice(line)
    }
    streams.link = { url in
      passing("")
      let (start, end) = ("\u{1B}]8;;", "\u{1B}\\")
      guard let address = try? OutputFormat.hyperlink.written("\(url)") else { return notice("\(url)") }
      try? writeAll(Array("\(start)\(address)\(end)\(address)\(start)\(end)\n".utf8).span, to: error)
    }
    streams.copy = { text in
      // The letters of base64 end no sequence either.
      try? writeAll(Array("\u{1B}]52;c;\(base64(text))\u{07}".utf8).span, to: error)
    }
    return streams
  }

  /// Writes bytes to a descriptor that stands for standard output.
  private static func write(_ secret: Secret, to descriptor: Int32) throws(StreamFailure) {
    do {
      try secret.withBytes { bytes throws(FileError) in try writeAll(bytes, to: descriptor) }
    } catch {
      throw .failed(name: "standard output", reason: error.reason)
    }
  }

  private static func read(_ path: String, limit: Int) throws(StreamFailure) -> Secret {
    let file: Descriptor
    do { file = try Descriptor.trusted(path, .input) } catch { throw .failed(name: path, reason: error.reason) }
    return try read(file.number, path, limit: limit)
  }

  private static func read(_ descriptor: Int32, _ name: String, limit: Int) throws(StreamFailure) -> Secret {
    let read: [UInt8]?
    do { read = try readAll(from: descriptor, limit: limit) } catch { throw .failed(name: name, reason: error.reason) }
    guard var bytes = read else { throw .tooLarge(name: name, limit: limit) }
    return Secret(consuming: &bytes)
  }
}

extension PublishFailure {
  fileprivate init(_ error: PrivateFilesError) {
    switch error {
    case .failed(let path, let reason): self = .failed(path: path, reason: reason)
    case .unsafe(let path, let reason): self = .unsafe(path: path, reason: reason)
    case .busy(let path): self = .failed(path: path, reason: "it is in use")
    }
  }
}

/// RFC 4648, section 4.
private func base64(_ text: String) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  let bytes = Array(text.utf8)
  return stride(from: 0, to: bytes.count, by: 3).reduce(into: "") { coded, start in
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for place in 0..<4 { coded.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : "=") }
  }
}
