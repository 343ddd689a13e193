/// The set of free units of a region, one bit each: 64 are examined in one step.
package struct FreeUnits: Sendable {
  /// The number of units, free or taken.
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

  /// Takes a run of consecutive units, one or more.
  ///
  /// - Returns: The first unit of the lowest run that is long enough; `nil` if there is none.
  package mutating func take(_ needed: Int) -> Int? {
    while lowest < words.count, words[lowest] == 0 { lowest += 1 }
    // The free units at the end of the words before this one.
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

  /// Returns units that were taken.
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
  /// The lowest position from which `count` consecutive bits are set; `nil` if there is none.
  fileprivate func firstRun(of count: Int) -> Int? {
    guard count <= 64 else { return nil }
    // A bit of `starts` is set where at least `length` bits are set from it on.
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
