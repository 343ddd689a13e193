import Text

/// The parameters of a query, decoded; one that decides anything and is there twice is an error (RFC 6749, section 3.1).
package struct QueryParameters: Equatable, Sendable {
  private var values: [String: String] = [:]

  /// Why a query can't be read.
  package enum Flaw: Error, Equatable, Sendable {
    case doubled(name: String)
    /// A bad percent escape, or bytes that are not UTF-8.
    case malformed
  }

  /// None at all.
  static let none = QueryParameters()

  private init() {}

  /// Decodes `name=value&…`, with `+` for a space.
  ///
  /// - Parameters:
  ///   - query: The query without its `?`.
  ///   - onlyDescribes: Returns `true` for a parameter that nothing depends on: the first counts where it is there twice,
  ///     and its value is read as far as it can be decoded.
  /// - Throws: ``Flaw``.
  package init(_ query: String, onlyDescribes: (String) -> Bool = { _ in false }) throws(Flaw) {
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try Self.decoded(parts[0])
      let isLenient = onlyDescribes(name)
      let value = parts.count == 2 ? try Self.decoded(parts[1], isLenient) : ""
      guard values[name] == nil || isLenient else { throw .doubled(name: name) }
      values[name] = values[name] ?? value
    }
  }

  /// The value of a parameter; an empty one counts as missing.
  package subscript(name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The decoded names, in no order.
  package var names: [String] { Array(values.keys) }

  private static func decoded(_ text: Substring, _ isLenient: Bool = false) throws(Flaw) -> String {
    let encoded = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let (bytes, isWellFormed) = percentDecoded(encoded.span)
    if isLenient { return String(decoding: bytes, as: UTF8.self) }
    guard isWellFormed, let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
    return text
  }
}
