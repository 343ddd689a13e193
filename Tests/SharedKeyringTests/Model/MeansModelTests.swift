import Testing

@Suite("A model of a removal beside a member that plants, searched through")
struct MeansModelTests {
  private struct Search {
    var states: [MeansModel] = []
    var transitions = 0
    /// The first state with what was sought.
    var found: Int?
    private var parents: [(state: Int, step: String)] = []

    init(_ rules: MeansRules, for isSought: (MeansModel) -> Bool) {
      var known: [MeansModel: Int] = [:]
      func enter(_ state: MeansModel, _ parent: Int, _ step: String, _ search: inout Search) {
        guard known[state] == nil else { return }
        known[state] = search.states.count
        search.states.append(state)
        search.parents.append((parent, step))
        if search.found == nil, isSought(state) { search.found = search.states.count - 1 }
      }
      enter(MeansModel(rules), -1, "", &self)
      var index = 0
      while index < states.count, found == nil {
        for (step, state) in states[index].next(rules) {
          transitions += 1
          enter(state, index, step, &self)
        }
        index += 1
      }
    }

    /// The steps that lead to a state, one a line.
    func trace(to state: Int) -> String {
      var (lines, place): ([String], Int) = ([], state)
      while place > 0 {
        lines.append("  \(parents[place].step)")
        place = parents[place].state
      }
      return lines.reversed().joined(separator: "\n")
    }
  }

  @Test(
    "Nothing that the removed machine has planted, signed or said opens the keyring, and no honest machine is out",
    arguments: [
      MeansRules(), MeansRules(letIn: .friend), MeansRules(hasOwnKey: true), MeansRules(asksPerson: false),
      MeansRules(letIn: .guest, hasOwnKey: true),
    ]
  )
  func everyOrder(_ rules: MeansRules) {
    let search = Search(rules) { $0.isBroken || $0.hasLost(rules) }
    print("\(rules): \(search.states.count) states, \(search.transitions) transitions")
    if let found = search.found { Issue.record("\(search.trace(to: found))") }
    #expect(search.states.contains { $0.phase == .done })
  }

  enum MissingRule: CaseIterable {
    case asks, trustsKnownAlone, asksSignatures, readsAsSet

    var rules: MeansRules {
      var rules = MeansRules()
      switch self {
      case .asks: rules.asks = false
      case .trustsKnownAlone: rules.trustsKnownAlone = false
      case .asksSignatures: rules.asksSignatures = false
      case .readsAsSet: (rules.readsAsSet, rules.trustsKnownAlone) = (false, false)
      }
      return rules
    }
  }

  @Test(
    "Without any one of the rules a planted key opens the keyring after the removal",
    arguments: MissingRule.allCases
  )
  func counterexample(_ missing: MissingRule) throws {
    let search = Search(missing.rules, for: \.isBroken)
    let trace = search.trace(to: try #require(search.found))
    print("without \(missing), after \(search.states.count) states, \(search.transitions) transitions:\n\(trace)")
    #expect(trace.split(separator: "\n").last?.contains("changes the key for") == true)
  }
}
