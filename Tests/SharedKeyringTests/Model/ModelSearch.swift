/// A search through all states that a run can reach, breadth first: what it finds first is shortest.
struct ModelSearch {
  private(set) var states: [ModelState] = []
  /// How many steps were looked at.
  private(set) var transitions = 0
  /// In how many steps a reuse was seen, by the window that explains it.
  private(set) var windows: [Window: Int] = [:]
  /// The first state with what was sought.
  private(set) var found: Int?

  private var known: [ModelKey: Int32] = [:]
  private var parents: [Int32] = []
  private var steps: [ModelStep] = []
  private var edges: [(from: Int32, to: Int32)] = []

  /// Searches until a state has what is sought, or to the end.
  init(_ rules: ModelRules, for isSought: (ModelState) -> Bool) {
    let start = ModelState(isToReseal: rules.changesKey, faults: rules.faults)
    _ = enter(start, from: -1, by: ModelStep(host: 0, event: .ticks))
    var index = 0
    while index < states.count, found == nil {
      for (step, state) in ModelMoves(states[index], rules).next {
        transitions += 1
        if state.ended != .none { windows[state.excuse, default: 0] += 1 }
        let target = enter(state, from: index, by: step)
        if !step.isFault { edges.append((Int32(index), target)) }
        if found == nil, isSought(state) { found = Int(target) }
      }
      index += 1
    }
  }

  private mutating func enter(_ state: ModelState, from parent: Int, by step: ModelStep) -> Int32 {
    let key = state.key
    if let place = known[key] { return place }
    let place = Int32(states.count)
    known[key] = place
    states.append(state)
    parents.append(Int32(parent))
    steps.append(step)
    return place
  }

  /// The steps that lead to a state, one a line.
  func trace(to state: Int) -> String {
    var lines: [String] = []
    var place = state
    while place > 0 {
      lines.append("  \(steps[place].description)")
      place = Int(parents[place])
    }
    return lines.reversed().joined(separator: "\n")
  }

  /// The states from which no run without further faults leads to one that is wanted.
  func stuck(_ isWanted: (ModelState) -> Bool) -> [Int] {
    // The edges, sorted by where they lead.
    var starts = [Int32](repeating: 0, count: states.count + 1)
    for edge in edges { starts[Int(edge.to) + 1] += 1 }
    for place in states.indices { starts[place + 1] += starts[place] }
    var free = starts
    var sources = [Int32](repeating: 0, count: edges.count)
    for edge in edges {
      sources[Int(free[Int(edge.to)])] = edge.from
      free[Int(edge.to)] += 1
    }
    var leads = states.map(isWanted)
    var open = leads.indices.filter { leads[$0] }
    while let place = open.popLast() {
      for source in sources[Int(starts[place])..<Int(starts[place + 1])] where !leads[Int(source)] {
        leads[Int(source)] = true
        open.append(Int(source))
      }
    }
    return leads.indices.filter { !leads[$0] }
  }
}
