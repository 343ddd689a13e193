import AcctTestSupport
import StrictJSON

/// A command line of acct's that has ended, with what it said of a failure.
struct EndedRun {
  let arguments: [String]
  let status: Int32
  private(set) var message: String?
  private(set) var hint: String?
  /// Whether the failure and its hints are the command's output, such as that of `status` and `doctor`.
  private(set) var isReport = false

  /// - Parameters:
  ///   - arguments: The line, without the program's name.
  ///   - status: Its exit status.
  ///   - lines: What it printed on standard error: for people, or one JSON object.
  ///   - output: What it printed on standard output.
  init(_ arguments: [String], _ status: Int32, lines: [String], output: String = "") {
    (self.arguments, self.status) = (arguments, status)
    guard status != 0 else { return }
    if let error = lines.last.flatMap({ try? JSON(parsing: Array($0.utf8)) })?["error"] {
      (message, hint) = (error["message"]?.stringValue, error["hint"]?.stringValue)
      return
    }
    // A narrow terminal has the rest of a line below it.
    for line in lines {
      if line.hasPrefix(Self.hintMark) {
        hint = String(line.dropFirst(Self.hintMark.count))
      } else if line.hasPrefix(Self.mark) {
        (message, hint) = (String(line.dropFirst(Self.mark.count)), nil)
      } else {
        let more = line.drop { $0 == " " }
        if hint == nil { message? += " \(more)" } else { hint? += " \(more)" }
      }
    }
    guard message == nil, !output.isEmpty else { return }
    (message, hint, isReport) = (output, output, true)
  }

  private static let mark = "acct: "
  private static let hintMark = "acct: hint: "
}
