import AcctPorts

/// Shows how far a large body is, on a terminal.
actor Meter {
  /// Less than this is there before anybody has looked, in bytes.
  private static let smallest: Int64 = 4 << 20

  private let show: (@Sendable (String) -> Void)?
  private let label: String
  private let total: Int64?
  private var count: Int64 = 0
  private var shown: Int64 = -1

  /// - Parameters:
  ///   - label: What goes on, such as `sent`.
  ///   - total: In bytes, if it is known.
  ///   - show: Shows a line; `nil` if nobody wants to see one.
  init(_ label: String, of total: Int64?, _ show: (@Sendable (String) -> Void)?) {
    self.label = label
    self.total = total
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

  /// Takes the line away.
  func end() { if shown >= 0 { show?("") } }

  private var line: String {
    guard let total else { return "\(size(count)) \(label)" }
    let done = min(max(Int(count * 24 / total), 0), 24)
    let bar = String(repeating: "#", count: done) + String(repeating: "-", count: 24 - done)
    return "[\(bar)] \(min(count * 100 / total, 100)) % of \(size(total)) \(label)"
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
