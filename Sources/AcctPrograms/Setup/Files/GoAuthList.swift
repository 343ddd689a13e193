/// The value of `GOAUTH`: the ways to a credential that the go command tries in turn, separated by semicolons.
package struct GoAuthList: Equatable, Sendable {
  private var ways: [String]

  package init(_ value: String) {
    ways = value.split(separator: ";").map { String($0.trimmed) }.filter { !$0.isEmpty }
  }

  package var value: String { ways.joined(separator: ";") }

  package var hasAcct: Bool { ways.contains(where: Self.isAcct) }

  /// Adds acct behind the others; `off` excludes every other way, and goes.
  package mutating func addAcct() { ways = ways.filter { $0 != "off" } + ["acct helper go"] }

  package mutating func removeAcct() { ways.removeAll(where: Self.isAcct) }

  /// `true` if nothing is left but the go command's default.
  package var isDefault: Bool { ways.isEmpty || ways == ["netrc"] }

  private static func isAcct(_ way: String) -> Bool {
    let words = way.split(separator: " ")
    return words.count >= 3 && words[0].split(separator: "/").last == "acct" && words[1] == "helper"
      && words.contains("go")
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = drop { $0 == " " || $0 == "\n" }
    while text.last == " " || text.last == "\n" { text.removeLast() }
    return text
  }
}
