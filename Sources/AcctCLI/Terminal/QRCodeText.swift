/// Draws a QR code with half blocks, two rows of modules on a line.
///
/// Light modules are drawn and dark ones left out, since most terminals are dark; scanners read
/// the code on a light one, where it comes out inverted, as well. The margin of two modules is
/// less than the standard's four, which costs two lines more and no scanner needs.
///
/// - Parameter modules: Row by row; `true` is dark.
/// - Returns: The lines.
package func qrCodeText(_ modules: [[Bool]]) -> [String] {
  let margin = 2
  let width = (modules.first?.count ?? 0) + 2 * margin
  let light = [Bool](repeating: false, count: width)
  let sides = [Bool](repeating: false, count: margin)
  let edge = Array(repeating: light, count: margin)
  let rows = edge + modules.map { sides + $0 + sides } + edge
  return stride(from: 0, to: rows.count, by: 2).map { index in
    // A code has an odd number of rows; the last line is made full by more margin.
    let lower = index + 1 < rows.count ? rows[index + 1] : light
    return String(zip(rows[index], lower).map(halfBlock))
  }
}

private func halfBlock(upperIsDark: Bool, lowerIsDark: Bool) -> Character {
  switch (upperIsDark, lowerIsDark) {
  case (false, false): "█"
  case (false, true): "▀"
  case (true, false): "▄"
  case (true, true): " "
  }
}
