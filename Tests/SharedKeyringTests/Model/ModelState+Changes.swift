extension ModelState {
  /// Writes the object: whatever else was read before is stale from now on.
  mutating func write(_ credential: UInt8, _ lock: Holder, _ rules: ModelRules) {
    self.credential = credential
    self.lock = lock
    isFormer = false
    resealing?.isCurrent = false
    for host in 0...1 {
      self[host].isCurrent = false
      self[host].sighting = nil
      self[host].lurking?.isCurrent = false
      // The engine will refuse it.
      if rules.guardsVersions { self[host].lurking = nil }
    }
  }

  /// The server takes a token, or finds it spent.
  ///
  /// Returns whether it was taken.
  mutating func spend(_ token: UInt8, by host: Int) -> Bool {
    let sender = self[host]
    guard token == issued else {
      let window: Window =
        sender.seen > token + 1
        ? .none
        : sender.excuse != .none ? sender.excuse : sender.isLate ? Window.lastCheck : orphan
      excuse = window
      ended = window == .none ? .unexcused : .excused
      return false
    }
    issued += 1
    // An object that was put back keeps the new token from the engine as well.
    orphan = sender.isLate ? .lastCheck : orphan == .unseen ? .unseen : .none
    if sender.isLate, self[1 - host].phase.hasClaim, self[1 - host].spent == token {
      self[1 - host].excuse = .lastCheck
    }
    return true
  }

  /// A host's lock is put in.
  ///
  /// If the other has an answer, it has kept it for so long that this is a window.
  mutating func claim(by host: Int, waited: Bool, _ lurking: ModelHost.Lurking, _ rules: ModelRules) {
    let other = self[1 - host]
    if waited, credential < issued, orphan == .none, other.hasAnswer, other.brought == issued {
      let isStopped = other.phase != .idle && !other.hasFailed
      orphan = isStopped ? .stopped : other.pending != .none ? .pending : .away
    }
    write(lurking.credential, lurking.lock, rules)
  }

  /// The engine puts an earlier object back.
  mutating func putBack(_ credential: UInt8, _ rules: ModelRules) {
    write(credential, .none, rules)
    if orphan == .none { orphan = .unseen }
  }

  /// A machine that was removed puts an object with an earlier token in, of as high a generation as it likes.
  mutating func plant(_ credential: UInt8, _ rules: ModelRules) {
    write(credential, .none, rules)
    isFormer = true
  }

  /// A host sees the object as it is now.
  mutating func show(to host: Int, _ rules: ModelRules) {
    if rules.engineLies { self[host].seen = max(self[host].seen, credential + 1) }
  }

  /// A process is gone, with all that was only in its memory.
  mutating func end(_ host: Int, rebooting: Bool) {
    let running = Holder.running(host)
    let gone = Holder(host, rebooting ? 2 : 1)
    func renamed(_ holder: Holder) -> Holder {
      holder == running || rebooting && holder == Holder(host, 1) ? gone : holder
    }
    lock = renamed(lock)
    if let lock = resealing?.lock { resealing?.lock = renamed(lock) }
    for index in 0...1 {
      self[index].keeps = renamed(self[index].keeps)
      self[index].pending = renamed(self[index].pending)
      if let lock = self[index].lurking?.lock { self[index].lurking?.lock = renamed(lock) }
    }
    let process = self[host]
    if process.hasAnswer, process.pending == .none, process.brought == issued, credential < issued { orphan = .killed }
    self[host].rest()
    if rebooting { self[host].sighting = nil }
  }

  /// A token that is in the object needs no explanation.
  mutating func settle() {
    if credential == issued { orphan = .none }
  }

  /// A request is on its way that nothing can call back, with a token that is spent.
  var isDoomed: Bool { (0...1).contains { self[$0].phase == .sent && self[$0].spent < issued } }

  /// The latest token is nowhere, although no window was met.
  var isLost: Bool {
    guard credential < issued, ![.killed, .unanswered, .unseen].contains(orphan) else { return false }
    return !(0...1).contains { self[$0].hasAnswer && self[$0].brought == issued }
  }
}

extension ModelHost {
  /// Forgets what its process had in mind.
  mutating func rest() {
    phase = .idle
    isCurrent = false
    requestAge = 0
    keeps = .none
    hasFailed = false
    wasOpen = false
    isLate = false
    excuse = .none
    guard pending == .none else { return }
    spent = 0
    brought = 0
    age = 0
  }

  /// Whether the object has stood for the ttl of any lock in it.
  var hasWaited: Bool { sighting.map { $0 >= UInt8(ModelRules.ttl) } ?? false }

  /// Whether a token that it brought is with this host, in memory or in the pending file.
  var hasAnswer: Bool {
    guard brought != spent else { return false }
    switch phase {
    case .taken, .holding, .unconfirmed: return true
    case .idle: return pending != .none
    case .ready, .claimed, .checked, .sent: return false
    }
  }
}

extension ModelHost.Phase {
  /// Whether it has the right to send, or thinks so.
  var hasClaim: Bool {
    switch self {
    case .claimed, .checked, .sent: true
    case .idle, .ready, .taken, .holding, .unconfirmed: false
    }
  }
}
