import Secrets
import Testing

@Suite("Free units of a region")
struct FreeUnitsTests {
  @Test("The first that are free in a row are taken, across words and in the midst of others")
  func firstFit() {
    var free = FreeUnits(300)
    var model = Array(repeating: true, count: 300)
    var taken: [(first: Int, count: Int)] = []
    // The same sequence in each run (a linear congruential generator).
    var state: UInt64 = 1
    func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(limit))
    }
    for step in 0..<4_000 {
      if next(below: 9) < 5 {
        // Now and then more than a word.
        let needed = 1 + next(below: step % 16 == 0 ? 140 : 12)
        let places = 0...max(0, 300 - needed)
        let expected = places.first { model[$0..<$0 + needed].allSatisfy(\.self) }
        let first = free.take(needed)
        #expect(first == expected)
        guard let first else { continue }
        for unit in first..<first + needed { model[unit] = false }
        taken.append((first, needed))
      } else if !taken.isEmpty {
        let block = taken.remove(at: next(below: taken.count))
        free.give(back: block.first, block.count)
        for unit in block.first..<block.first + block.count { model[unit] = true }
      }
    }
  }

  @Test("All of them can be taken at once, and no more", arguments: [1, 4, 63, 64, 65, 128, 200])
  func all(count: Int) {
    var free = FreeUnits(count)
    #expect(free.take(count + 1) == nil)
    #expect(free.take(count) == 0)
    #expect(free.take(1) == nil)
    free.give(back: count - 1, 1)
    #expect(free.take(1) == count - 1)
  }
}
