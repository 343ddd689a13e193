import Testing

/// Two hosts, the engine and the server in every order of their steps, with a number of faults at any of them.
///
/// The hosts decide by the functions that acct itself decides by.
@Suite("A model of renewals across machines, searched through")
struct RenewalModelTests {
  @Test(
    "Two hosts reuse and lose no token outside the documented windows, and one can always go on",
    arguments: [
      ModelRules(renewals: 1, faults: 2),
      ModelRules(renewals: 2, faults: 1),
      ModelRules(areOneMachine: true, renewals: 1, faults: 1),
      ModelRules(keepsAnswersFirst: false, renewals: 1, faults: 1),
      ModelRules(changesKey: true, renewals: 1, faults: 1),
    ]
  )
  func everyOrder(_ rules: ModelRules) {
    let search = ModelSearch(rules) { $0.ended == .unexcused || $0.isLost }
    print("\(rules.testDescription): \(search.summary)")
    if let found = search.found { Issue.record("\(search.trace(to: found))") }

    // Each window is met, so that it is no rule that only seems to be needed.
    var unmet: Set<Window> = [.none, .unseen]
    if rules.keepsAnswersFirst { unmet.insert(.away) }
    #expect(Set(search.windows.keys) == Set(Window.allCases).subtracting(unmet))

    // Without further faults a renewal ends well from every state, but where its token is gone for good.
    let stuck = search.stuck { $0.credential == rules.renewals }.map { search.states[$0] }
    #expect(stuck.allSatisfy { $0.ended != .none || $0.isGone || $0.isDoomed })
    #expect(search.stuck { $0.credential == rules.renewals || $0.ended != .none } == [])
  }

  @Test("Without a fault only a process that is stopped too long reuses a token")
  func withoutFaults() {
    let search = ModelSearch(ModelRules(renewals: 2, faults: 0)) { $0.ended == .unexcused || $0.isLost }
    print("no faults: \(search.summary)")
    #expect(search.found == nil)
    #expect(Set(search.windows.keys) == [.stopped, .lastCheck])
  }

  @Test(
    "Where the engine puts old objects back, only a host that has seen none newer reuses a token",
    arguments: [
      ModelRules(engineLies: true, renewals: 1, faults: 2),
      ModelRules(engineLies: true, renewals: 2, faults: 1),
    ]
  )
  func lies(_ rules: ModelRules) {
    let search = ModelSearch(rules) { $0.ended == .unexcused || $0.isLost }
    print("\(rules.testDescription): \(search.summary)")
    if let found = search.found { Issue.record("\(search.trace(to: found))") }
    // What stays open is met: a machine that never sees the other's write.
    #expect(search.windows[.unseen] != nil)
  }

  @Test("What a removed machine writes with the former key makes no host reuse a token")
  func intruder() {
    let rules = ModelRules(hasIntruder: true, renewals: 1, faults: 1)
    let search = ModelSearch(rules) { $0.ended == .unexcused }
    print("\(rules.testDescription): \(search.summary)")
    if let found = search.found { Issue.record("\(search.trace(to: found))") }
  }

  @Test("Without any one of the rules a token is reused or lost", arguments: MissingRule.allCases)
  func counterexample(_ missing: MissingRule) throws {
    let search = ModelSearch(missing.rules) { missing == .mergesAnswers ? $0.isLost : $0.ended == .unexcused }
    let trace = search.trace(to: try #require(search.found))
    print("without \(missing), after \(search.summary):\n\(trace)")
    #expect(trace.hasSuffix(missing.lastStep))
  }
}

/// A rule that is taken out to see what it is for.
enum MissingRule: String, CaseIterable {
  case guardsVersions, claimsWhatWasRead, checksWindow, waitsForTTL, countsFromAnswer,
    leavesForeignLocks
  case mergesAnswers, clocksRunOn, namesHomes, checksGenerations
  case resealsByVersion, resealsLocks, rejectsFormerKey

  var rules: ModelRules {
    var rules = ModelRules(renewals: 1, faults: 0)
    switch self {
    case .guardsVersions: rules.guardsVersions = false
    case .claimsWhatWasRead: rules.claimsWhatWasRead = false
    case .checksWindow: rules.checksWindow = false
    case .waitsForTTL: rules.waitsForTTL = false
    case .countsFromAnswer: rules.countsFromAnswer = false
    case .leavesForeignLocks: rules.leavesForeignLocks = false
    case .mergesAnswers: rules.mergesAnswers = false
    case .clocksRunOn: rules.clocksRunOn = false
    case .checksGenerations:
      rules.engineLies = true
      rules.checksGenerations = false
      rules.faults = 1
    case .resealsByVersion:
      rules.changesKey = true
      rules.resealsByVersion = false
    case .resealsLocks:
      rules.changesKey = true
      rules.resealsLocks = false
    case .rejectsFormerKey:
      rules.hasIntruder = true
      rules.rejectsFormerKey = false
      rules.faults = 1
    case .namesHomes:
      rules.areOneMachine = true
      rules.namesHomes = false
      rules.faults = 1
    }
    return rules
  }

  var lastStep: String {
    self == .mergesAnswers
      ? "is refused its store: the object has changed"
      : "has its token rejected: it was spent before"
  }
}

extension ModelSearch {
  fileprivate var summary: String {
    let met = windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key) \($0.value)" }
    let text = "\(states.count) states, \(transitions) transitions"
    return met.isEmpty ? text : "\(text); reuses: \(met.joined(separator: ", "))"
  }
}

extension ModelState {
  /// The latest token is lost.
  fileprivate var isGone: Bool { orphan == .killed || orphan == .unanswered }
}
