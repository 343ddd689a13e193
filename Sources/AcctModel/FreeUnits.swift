/// Which units of a region are free, a bit for each: 64 are looked at in one step.
package struct FreeUnits: Sendable {
  /// How many there are.
  package let count: Int
  /// The lowest bit of the first word is the first unit's.
  private var words: [UInt64]
  /// No word before this one has a free unit.
  private var lowest = 0

  /// Begins with all of them free.
  package init(_ count: Int) {
    self.count = count
    words = Array(repeating: 0, count: (count + 63) / 64)
    set(0..<count, isFree: true)
  }

  /// Takes so many units in a row, one or more.
  ///
  /// - Returns: The first of them, the lowest that there is; `nil` where there are not so many in a row.
  package mutating func take(_ needed: Int) -> Int? {
    while lowest < words.count, words[lowest] == 0 { lowest += 1 }
    // Free units that the words before end with.
    var before = 0
    for index in lowest..<words.count {
      let word = words[index]
      let first: Int? =
        before + (~word).trailingZeroBitCount >= needed
        ? index * 64 - before : word.firstRun(of: needed).map { index * 64 + $0 }
      if let first {
        set(first..<first + needed, isFree: false)
        return first
      }
      before = word == .max ? before + 64 : (~word).leadingZeroBitCount
    }
    return nil
  }

  /// Takes back what was given away.
  package mutating func give(back first: Int, _ count: Int) {
    set(first..<first + count, isFree: true)
    lowest = min(lowest, first / 64)
  }

  private mutating func set(_ units: Range<Int>, isFree: Bool) {
    var unit = units.lowerBound
    while unit < units.upperBound {
      let place = unit % 64
      let count = min(64 - place, units.upperBound - unit)
      let bits = (UInt64.max >> (64 - count)) << place
      if isFree { words[unit / 64] |= bits } else { words[unit / 64] &= ~bits }
      unit += count
    }
  }
}

extension UInt64 {
  /// The lowest place from which on so many bits are set.
  fileprivate func firstRun(of count: Int) -> Int? {
    guard count <= 64 else { return nil }
    // A bit stays where as many bits as `length` are set from it on.
    var starts = self
    var length = 1
    while length < count, starts != 0 {
      let step = Swift.min(length, count - length)
      starts &= starts >> step
      length += step
    }
    return starts == 0 ? nil : starts.trailingZeroBitCount
  }
}
