/// The results of the table's rows, for people to read in the tests' output.
struct FaultReport: CustomStringConvertible {
  private var lines = [("fault", "exit", "next", "said")]

  mutating func add(_ what: String, _ status: Int32, _ said: String, _ next: Int32) {
    let words = said.split(separator: "\n").map { $0.drop { $0 != " " }.dropFirst() }
    lines.append((what, "\(status)", "\(next)", words.joined(separator: "; ")))
  }

  var description: String {
    lines.map { what, status, next, said in
      let gap = String(repeating: " ", count: max(1, 22 - what.count))
      return "  \(what)\(gap)\(status.count < 2 ? " " : "")\(status)  \(next)  \(said)"
    }.joined(separator: "\n")
  }
}
