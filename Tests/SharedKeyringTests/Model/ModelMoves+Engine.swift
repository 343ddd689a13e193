import SharedKeyring

/// What a host does at the engine.
extension ModelMoves {
  /// The start of a call: what is pending goes first.
  mutating func begin(_ host: Int, _ process: ModelHost) {
    let rules = rules
    guard process.isConnected, isUsable(process) else { return }
    guard process.pending == .none else {
      guard let writer = rules.owner(process.pending) else { return }
      let answer = UnconfirmedWrite(owner: writer, basis: .spent(process.spent), wanted: process.brought)
      proceed(host, answer, answer.next(found: found(wanted: process.brought)), .takesUp)
      return
    }
    add(host, .renames) { $0.write($0.credential, $0.lock, rules) }
    guard state.credential < rules.renewals else { return }
    guard rules.mayTake(state.lock, host: host, sighting: process.sighting) else {
      let seen: UInt8 = rules.countsFromAnswer ? 0 : 2
      if process.sighting == nil {
        add(host, .waits) { state in
          state[host].sighting = seen
          state.show(to: host, rules)
        }
      }
      return
    }
    add(host, .reads) { state in
      state[host].phase = .ready
      state[host].isCurrent = true
      state.show(to: host, rules)
      state[host].spent = state.credential
      state[host].brought = state.credential
    }
  }

  mutating func claim(_ host: Int, _ process: ModelHost) {
    let rules = rules
    guard process.isConnected else {
      add(host, .claimFails) { $0[host].rest() }
      return
    }
    let lock = Holder.running(host)
    if process.isCurrent || !rules.guardsVersions {
      let swap = ModelHost.Lurking(isCurrent: process.isCurrent, isClaim: true, credential: process.spent, lock: lock)
      add(host, .claims) { state in
        state.claim(by: host, waited: process.hasWaited, swap, rules)
        state[host].phase = .claimed
        state[host].isCurrent = true
        state[host].excuse = state.orphan
      }
      add(host, .claimsUnanswered) { state in
        state.claim(by: host, waited: process.hasWaited, swap, rules)
        state[host].rest()
      }
      add(host, .claimLurks) { state in
        state[host].rest()
        state[host].lurking = swap
      }
    }
    if !process.isCurrent, rules.guardsVersions { add(host, .claimRefused) { $0[host].rest() } }
    if !process.isCurrent { list(host) }
  }

  /// `fetchAll` in another process of the host, which holds no account's lock: the copy that a claim would be made on is
  /// the newest one then, and the process has read an older one.
  private mutating func list(_ host: Int) {
    let rules = rules
    add(host, .lists) { state in
      if rules.claimsWhatWasRead { state[host].rest() } else { state[host].isCurrent = true }
    }
  }

  mutating func store(_ host: Int, _ process: ModelHost) {
    let rules = rules
    guard process.isConnected else {
      add(host, .storeFails) { $0[host].failed() }
      return
    }
    guard process.isCurrent || !rules.guardsVersions else {
      add(host, .storeRefused) { state in
        state[host].phase = .unconfirmed
        if !rules.mergesAnswers { state[host].pending = .none }
        if process.pending != .none || !rules.mergesAnswers { state[host].rest() }
      }
      return
    }
    add(host, .stores) { state in
      state.write(process.brought, process.keeps, rules)
      state.show(to: host, rules)
      state[host].pending = .none
      state[host].rest()
    }
    add(host, .storesUnanswered) { state in
      state.write(process.brought, process.keeps, rules)
      state[host].failed()
    }
    add(host, .storeLurks) { state in
      state[host].failed()
      state[host].lurking = .init(
        isCurrent: process.isCurrent,
        isClaim: false,
        credential: process.brought,
        lock: process.keeps
      )
    }
  }

  mutating func readBack(_ host: Int, _ process: ModelHost) {
    let isContradicted = !isUsable(process)
    if process.isConnected, !isContradicted {
      let write = UnconfirmedWrite(
        owner: rules.process(.running(host)),
        basis: .spent(process.spent),
        wanted: process.brought
      )
      var next = write.next(found: found(wanted: process.brought))
      let isOver = process.brought == process.spent && state.credential == process.spent
      if !rules.leavesForeignLocks, next == .superseded, isOver { next = .again }
      proceed(host, write, next, .goesOn)
    }
    guard process.hasFailed || (isContradicted && process.isConnected) else { return }
    if process.brought == process.spent {
      add(host, .drops) { $0[host].rest() }
    } else {
      add(host, .keeps) { state in
        state[host].pending = .running(host)
        state[host].rest()
      }
    }
  }

  private func found(wanted: UInt8) -> UnconfirmedWrite<UInt8>.Found {
    .init(
      credential: state.credential,
      lockOwner: rules.owner(state.lock),
      // A lock comes with the note of its renewal, which is in the record.
      hasAll: state.credential == wanted && state.lock == .none
    )
  }

  private mutating func proceed(
    _ host: Int,
    _ write: UnconfirmedWrite<UInt8>,
    _ next: NextWrite,
    _ event: ModelStep.Event
  ) {
    switch next {
    case .again:
      let keepsLock = write.lock(afterMerging: rules.lock(state.lock)) != nil && rules.leavesForeignLocks
      let rules = rules
      add(host, event) { state in
        state[host].phase = .holding
        state[host].isCurrent = true
        state.show(to: host, rules)
        state[host].keeps = keepsLock ? state.lock : .none
      }
    case .done, .superseded, .removed:
      let rules = rules
      add(host, next == .done ? .isDone : .gaveWay) { state in
        state.show(to: host, rules)
        state[host].pending = .none
        state[host].rest()
      }
    }
  }
}

extension ModelHost {
  /// A store was not answered.
  ///
  /// A pending answer waits for the next call.
  fileprivate mutating func failed() {
    if pending != .none {
      rest()
    } else {
      phase = .unconfirmed
      hasFailed = true
    }
  }
}
