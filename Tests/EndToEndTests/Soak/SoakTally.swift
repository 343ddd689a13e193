/// The results of the commands of a soak.
struct SoakTally: CustomStringConvertible {
  /// How often each command ended with each status.
  private(set) var endings: [String: [Int32: Int]] = [:]
  /// How often the keyring died of itself.
  private(set) var keyringDeaths = 0
  /// Commands that said that what a server gave could not be stored.
  var toldLosses = 0
  /// Endings that nothing in the weather explains, and the commands that had them.
  var surprises: [String: Set<String>] = [:]

  init(keyringDeaths: Int = 0) { self.keyringDeaths = keyringDeaths }

  var commands: Int { endings.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

  mutating func count(_ verb: String, _ status: Int32) { endings[verb, default: [:]][status, default: 0] += 1 }

  mutating func add(_ other: SoakTally) {
    for (verb, statuses) in other.endings {
      for (status, count) in statuses { endings[verb, default: [:]][status, default: 0] += count }
    }
    keyringDeaths += other.keyringDeaths
    toldLosses += other.toldLosses
    surprises.merge(other.surprises) { $0.union($1) }
  }

  var description: String {
    let lines = endings.sorted { $0.key < $1.key }.map { verb, statuses in
      let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      return "  \(verb): \(counts.joined(separator: ", "))"
    }
    return (["\(commands) commands, by exit status:"] + lines).joined(separator: "\n")
  }
}
