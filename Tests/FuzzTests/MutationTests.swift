import AcctTestSupport
import FuzzTargets
import Testing

/// The short form of fuzzing, in every test run: known inputs, and thousands of mutations of them.
///
/// `.ci/fuzz` is the long form, with libFuzzer and coverage.
@Suite("Parsers of outside data")
struct MutationTests {
  /// How many mutations are made of each input.
  private static let rounds = 400

  @Test("Every parser accepts its own inputs and survives every mutation of them", arguments: FuzzTarget.allCases)
  func mutations(target: FuzzTarget) throws {
    let inputs = try Corpus.inputs(of: target.rawValue)
    #expect(!inputs.isEmpty, "no input in Corpus/\(target.rawValue)")
    var numbers = RepeatableNumbers(seed: 9)
    for input in inputs {
      #expect(target.violation(of: input) == nil)
      for _ in 0..<Self.rounds {
        let mutated = mutate(input, inputs, using: &numbers)
        let violation = target.violation(of: mutated)
        #expect(violation == nil, "\(String(decoding: mutated, as: UTF8.self))")
      }
    }
  }
}

/// Changes a few bytes in ways that parsers have been known to stumble over.
private func mutate(_ input: [UInt8], _ others: [[UInt8]], using numbers: inout some RandomNumberGenerator) -> [UInt8] {
  var bytes = input
  for _ in 0..<Int.random(in: 1...6, using: &numbers) {
    let place = Int.random(in: 0...bytes.count, using: &numbers)
    let tail = bytes[place...]
    switch Int.random(in: 0..<7, using: &numbers) {
    case 0 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &numbers)
    case 1 where place < bytes.count: bytes[place] ^= UInt8(1) << UInt8.random(in: 0...7, using: &numbers)
    case 2: bytes.insert(.random(in: 0...255, using: &numbers), at: place)
    case 3: bytes.removeLast(tail.count)
    case 4: bytes.append(contentsOf: tail)
    case 5: bytes.insert(contentsOf: "\u{0}\"\\%.,:=[]{}-0".utf8.shuffled(using: &numbers), at: place)
    default: bytes.replaceSubrange(place..., with: others.randomElement(using: &numbers) ?? [])
    }
  }
  return bytes
}
