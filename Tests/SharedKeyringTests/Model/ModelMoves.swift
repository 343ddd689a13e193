import SharedKeyring

/// What can happen next in a state.
struct ModelMoves {
  let rules: ModelRules
  let state: ModelState
  private(set) var next: [(step: ModelStep, state: ModelState)] = []

  init(_ state: ModelState, _ rules: ModelRules) {
    self.rules = rules
    self.state = state
    guard state.ended == .none else { return }
    for host in 0...1 {
      act(host)
      interfere(host)
    }
    passTime()
    lie()
    changeKey()
  }

  /// Adds what a step leads to.
  mutating func add(_ host: Int, _ event: ModelStep.Event, _ change: (inout ModelState) -> Void) {
    let step = ModelStep(host: host, event: event)
    var changed = state
    if step.isFault {
      guard state.faults > 0 else { return }
      changed.faults -= 1
    }
    change(&changed)
    changed.settle()
    next.append((step, changed))
  }

  /// The engine puts an earlier object back, without the lock that the present one may have.
  private mutating func lie() {
    guard rules.engineLies else { return }
    let rules = rules
    for credential in 0..<state.credential { add(0, .putsBack) { $0.putBack(credential, rules) } }
  }

  /// A third machine seals the object anew, and a fourth one, which was removed, writes with the former key.
  private mutating func changeKey() {
    let rules = rules
    if let resealing = state.resealing {
      if resealing.isCurrent || !rules.resealsByVersion {
        add(0, .reseals) { state in
          state.write(resealing.credential, rules.resealsLocks ? resealing.lock : .none, rules)
          state.resealing = nil
          state.isToReseal = false
        }
      } else {
        add(0, .resealRefused) { $0.resealing = nil }
      }
    } else if state.isToReseal {
      add(0, .readsToReseal) { $0.resealing = .init(credential: $0.credential, lock: $0.lock) }
    }
    guard rules.hasIntruder else { return }
    for credential in 0..<state.credential { add(0, .plants) { $0.plant(credential, rules) } }
  }

  /// Whether a host can use the object as it is.
  func isUsable(_ process: ModelHost) -> Bool {
    !rules.isContradicted(process.seen, by: state.credential) && !(state.isFormer && rules.rejectsFormerKey)
  }

  private mutating func act(_ host: Int) {
    let process = state[host]
    switch process.phase {
    case .idle: begin(host, process)
    case .ready: claim(host, process)
    case .claimed: check(host, process)
    case .checked:
      add(host, .sends) { state in
        state[host].phase = .sent
        state[host].isLate = process.wasOpen && !ModelRules.isOpen(age: process.age)
      }
    case .sent: ask(host, process)
    case .taken: answer(host, process)
    case .holding: store(host, process)
    case .unconfirmed: readBack(host, process)
    }
  }

  private mutating func check(_ host: Int, _ process: ModelHost) {
    if ModelRules.isOpen(age: process.age) {
      add(host, .checks) { state in
        state[host].phase = .checked
        state[host].wasOpen = true
      }
    } else if rules.checksWindow {
      add(host, .finds) { $0[host].phase = .holding }
    } else {
      add(host, .ignores) { $0[host].phase = .checked }
    }
  }

  private mutating func ask(_ host: Int, _ process: ModelHost) {
    add(host, process.spent == state.issued ? .arrives : .reuses) { state in
      guard state.spend(process.spent, by: host) else { return }
      state[host].phase = .taken
      state[host].brought = state.issued
    }
    add(host, .requestLost) { $0[host].phase = .holding }
  }

  private mutating func answer(_ host: Int, _ process: ModelHost) {
    let pending = rules.keepsAnswersFirst ? Holder.running(host) : .none
    add(host, .answered) { state in
      state[host].phase = .holding
      state[host].pending = pending
    }
    add(host, .answerLost) { state in
      state.orphan = .unanswered
      state[host].phase = .holding
      state[host].brought = process.spent
    }
  }

  private mutating func interfere(_ host: Int) {
    let process = state[host]
    if process.lurking != nil { applyLate(host, process) }
    if process.phase == .idle {
      if names(.running(host)) { add(host, .ends) { $0.end(host, rebooting: false) } }
    } else if process.phase != .ready {
      add(host, .isKilled) { $0.end(host, rebooting: false) }
    }
    if process.phase == .sent {
      add(host, .isKilledLate) { state in
        guard state.spend(process.spent, by: host) else { return }
        state.orphan = .killed
        state.end(host, rebooting: false)
      }
    }
    if process.phase != .idle || names(.running(host)) || names(Holder(host, 1)) || process.sighting != nil {
      add(host, .reboots) { $0.end(host, rebooting: true) }
    }
    if process.isConnected {
      add(host, .isCut) { $0[host].isConnected = false }
    } else {
      add(host, .isBack) { $0[host].isConnected = true }
    }
    if host == 0, process.isConnected, state[1].isConnected {
      add(host, .bothCut) { state in
        state[0].isConnected = false
        state[1].isConnected = false
      }
    }
  }

  private func names(_ holder: Holder) -> Bool {
    state.lock == holder
      || (0...1).contains {
        state[$0].keeps == holder || state[$0].pending == holder || state[$0].lurking?.lock == holder
      }
  }

  private mutating func applyLate(_ host: Int, _ process: ModelHost) {
    let rules = rules
    add(host, .lurked) { state in
      guard let lurking = process.lurking else { return }
      state[host].lurking = nil
      if lurking.isClaim {
        state.claim(by: host, waited: true, lurking, rules)
      } else {
        state.write(lurking.credential, lurking.lock, rules)
      }
    }
  }

  /// A second, unless a request would be over its timeout.
  private mutating func passTime() {
    for host in 0...1 {
      switch state[host].phase {
      case .sent, .taken: guard state[host].requestAge < UInt8(ModelRules.timeout) else { return }
      case .idle, .ready, .claimed, .checked, .holding, .unconfirmed: break
      }
    }
    add(0, .ticks) { state in for host in 0...1 { state[host].tick() } }
    guard !rules.clocksRunOn else { return }
    for host in 0...1 {
      add(host, .pauses) { state in
        let paused = state[host]
        for index in 0...1 { state[index].tick() }
        state[host].age = paused.age
        state[host].sighting = paused.sighting
      }
    }
  }
}

extension ModelHost {
  fileprivate mutating func tick() {
    let most = UInt8(ModelRules.ttl)
    if let seen = sighting { sighting = min(seen + 1, most) }
    switch phase {
    case .idle, .ready: if pending != .none { age = min(age + 1, most) }
    case .claimed, .checked, .holding, .unconfirmed: age = min(age + 1, most)
    case .sent, .taken:
      age = min(age + 1, most)
      requestAge += 1
    }
  }
}
