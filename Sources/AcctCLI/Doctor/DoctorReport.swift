import AcctModel
import AcctEngine
import StrictJSON

/// One of `doctor`'s findings, in words.
struct DoctorReport {
  private let finding: Finding
  private let words: DoctorWording

  init(_ finding: Finding) {
    self.finding = finding
    words = DoctorWording(finding.subject)
  }

  /// The finding, and the way to repair it below.
  ///
  /// - Parameters:
  ///   - columns: Where lines are folded; `nil` for a pipe, where none is.
  ///   - isQuiet: `true` if only problems are shown.
  /// - Returns: The lines.
  func lines(at columns: Int?, isQuiet: Bool) -> [String] {
    if isQuiet && finding.severity == .ok { return [] }
    let label = finding.isRepaired ? "repaired" : finding.severity.rawValue
    // A column for the labels would leave a small window too little.
    let isSmall = columns.map { $0 < 40 } ?? false
    let indent = String(repeating: " ", count: isSmall ? 2 : 10)
    let inner = columns.map { $0 - indent.count }
    let fix = shownFix.map { folded("fix: \(printable($0))", at: inner) } ?? []
    var lines: [String]
    if isSmall {
      lines = folded("\(label) \(printable(words.message))", at: columns)
    } else {
      lines = folded(printable(words.message), at: inner).map { indent + $0 }
      lines[0] = label + lines[0].dropFirst(label.count)
    }
    return lines + fix.map { indent + $0 }
  }

  /// The object of the contract; keys are only ever added.
  var json: JSON {
    [
      "code": .string(words.code),
      "severity": .string(finding.severity.rawValue),
      "message": .string(words.message),
      "fix": .init(shownFix),
      "repaired": .bool(finding.isRepaired),
    ]
  }

  private var shownFix: String? { finding.isRepaired ? words.next : words.fix }

  /// The exit status that the finding requires, if any.
  var status: ExitStatus? {
    guard finding.needsPerson else { return nil }
    guard case .keyring(let failure, let kind) = finding.subject else { return .failed }
    return ErrorMessage(failure, kind).status
  }
}
