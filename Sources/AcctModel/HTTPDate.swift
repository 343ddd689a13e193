/// Times as HTTP fields write them (RFC 9110, section 5.6.7).
package enum HTTPDate {
  /// Parses an IMF-fixdate, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// The two obsolete forms are not read: what comes in them is a hint at most.
  package static func parse(_ text: String) -> Timestamp? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT", let day = Int(words[1]),
      let month = months.firstIndex(of: words[2]), words[3].utf8.count == 4
    else { return nil }
    let number = month + 1
    let padded = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
    return try? Timestamp("\(words[3])-\(padded(number))-\(padded(day))T\(words[4])Z")
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}
