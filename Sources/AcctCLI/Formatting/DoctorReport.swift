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

  /// One line, and the way to repair it below.
  func lines(isQuiet: Bool) -> [String] {
    if isQuiet && finding.severity == .ok { return [] }
    let label = finding.isRepaired ? "repaired" : finding.severity.rawValue
    let indent = String(repeating: " ", count: 10)
    let line = label + indent.dropFirst(label.count) + printable(words.message)
    guard let fix = shownFix else { return [line] }
    return [line, "\(indent)fix: \(printable(fix))"]
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
