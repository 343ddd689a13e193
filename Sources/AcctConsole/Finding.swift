package import AcctEngine
import AcctModel
package import AcctPorts
package import StrictJSON

/// The finding of one of `doctor`'s checks, in words.
package struct Finding: Sendable {
  package enum Severity: String, Sendable { case ok, warning, problem }

  package let severity: Severity
  /// Its name for scripts.
  package let code: String
  package let message: String
  /// The way to repair it; once it is repaired, the next step.
  private var fix: String?
  package private(set) var isRepaired = false
  /// The exit status of `doctor`, if this is a problem that is still there.
  package private(set) var status = ExitStatus.failed

  package init(_ severity: Severity, _ code: String, _ message: String, fix: String? = nil) {
    self.severity = severity
    self.code = code
    self.message = message
    self.fix = fix
  }

  /// A failure, as a command reports it.
  package init(_ message: ErrorMessage, _ severity: Severity = .problem) {
    self.init(severity, message.code, message.text, fix: message.hint)
  }

  /// A failure of the keyring, which has exit statuses of its own.
  package init(_ failure: KeyringFailure, _ kind: Keyring.Kind) {
    let message = ErrorMessage(failure, kind)
    self.init(message)
    status = message.status
  }

  /// The finding after an attempt to repair it.
  ///
  /// - Parameters:
  ///   - isRepaired: `true` if it succeeded.
  ///   - next: The next step then.
  /// - Returns: The finding.
  package func repaired(_ isRepaired: Bool, next: String? = nil) -> Finding {
    guard isRepaired else { return self }
    var finding = self
    finding.isRepaired = true
    finding.fix = next
    return finding
  }

  /// `true` for a problem that is still there.
  package var needsPerson: Bool { severity == .problem && !isRepaired }

  /// The finding, and the way to repair it below.
  ///
  /// - Parameters:
  ///   - columns: Where lines are folded; `nil` for a pipe, where none is.
  ///   - isQuiet: `true` if only problems are shown.
  /// - Returns: The lines.
  package func lines(at columns: Int?, isQuiet: Bool) -> [String] {
    if isQuiet && severity == .ok { return [] }
    let label = isRepaired ? "repaired" : severity.rawValue
    // A column for the labels would leave a small window too little.
    let isSmall = columns.map { $0 < 40 } ?? false
    let indent = String(repeating: " ", count: isSmall ? 2 : 10)
    let inner = columns.map { $0 - indent.count }
    var lines: [String]
    if isSmall {
      lines = folded("\(label) \(printable(message))", at: columns)
    } else {
      lines = folded(printable(message), at: inner).map { indent + $0 }
      lines[0] = label + lines[0].dropFirst(label.count)
    }
    return lines + (fix.map { folded("fix: \(printable($0))", at: inner) } ?? []).map { indent + $0 }
  }

  /// The object of the contract; keys are only ever added.
  package var json: JSON {
    [
      "code": .string(code),
      "severity": .string(severity.rawValue),
      "message": .string(message),
      "fix": .init(fix),
      "repaired": .bool(isRepaired),
    ]
  }
}
