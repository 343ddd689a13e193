import AcctModel
package import AcctPorts
import Synchronization

/// The waits of a command, of which a terminal shows the innermost once it has lasted a second, with the time left.
package final class LongWaits: Sendable {
  private struct State {
    var last = 0
    /// The numbers of the waits under way, the innermost last.
    var underWay: [Int] = []
    var isShown = false
    var isSilent = false
  }

  private let state = Mutex(State())
  private let clock: Clock
  private let show: @Sendable (String) -> Void

  /// Fails where standard error is no terminal, or one that replaces no lines.
  ///
  /// - Parameters:
  ///   - streams: Standard error, whose last line is replaced.
  ///   - clock: Measures the seconds, in the background.
  ///   - variable: Returns an environment variable.
  package init?(_ streams: Streams, _ clock: Clock, _ variable: (String) -> String?) {
    guard let show = streams.passing, (variable("TERM") ?? "dumb") != "dumb" else { return nil }
    self.clock = clock
    self.show = show
  }

  /// Begins a wait.
  ///
  /// - Parameters:
  ///   - seconds: The longest that it lasts.
  ///   - words: The line, from the time left.
  /// - Returns: Ends the wait, and erases its line.
  package func begin(_ seconds: Int64, _ words: @escaping @Sendable (_ left: String) -> String) -> @Sendable () -> Void
  {
    let number = state.withLock { state in
      state.last += 1
      state.underWay.append(state.last)
      return state.last
    }
    let ticks = Task { [self] in
      var left = seconds
      repeat {
        await clock.rest()
        left = max(left - 1, 0)
      } while draw(number, words("\(duration(left)) left"))
    }
    return { [self] in
      end(number)
      ticks.cancel()
    }
  }

  /// Shows no line from now on: a server's requests are not what the person at the terminal waits for.
  package func silence() { state.withLock { $0.isSilent = true } }

  /// Begins to wait for a prompt that the desktop's keyring shows.
  package func beginKeyringPrompt() -> @Sendable () -> Void {
    begin(120) { left in "waiting for the keyring, which shows a prompt to unlock it: \(left)" }
  }

  /// Shows the line of a wait, unless there is a newer one; returns `false` once it has ended.
  private func draw(_ number: Int, _ line: String) -> Bool {
    state.withLock { state in
      guard state.underWay.contains(number) else { return false }
      if state.underWay.last == number, !state.isSilent {
        show(line)
        state.isShown = true
      }
      return true
    }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      state.underWay.removeAll { $0 == number }
      if state.isShown { show("") }
      state.isShown = false
    }
  }
}

extension World {
  /// This world with a line on the terminal for each long wait: for a server, a resolver, another process, an engine.
  ///
  /// What `header` needs where nothing is renewed, the keyring's reading, has none: it would cost more than it takes.
  func showing(_ waits: LongWaits) -> World {
    var world = self
    world.transport = transport.showing(waits)
    let (dns, files, shared) = (dns, files, sharedKeyring)
    world.dns = DNS { name, seconds throws(DNSFailure) in
      let end = waits.begin(Int64(seconds)) { left in "waiting for a resolver: \(left)" }
      defer { end() }
      return try await dns.txt(name, seconds)
    }
    world.files.lock = { lock, seconds throws(FilesFailure) in
      let end = waits.begin(Int64(seconds)) { left in "waiting for another acct: \(left)" }
      defer { end() }
      return try await files.lock(lock, seconds)
    }
    world.sharedKeyring = { kind in shared(kind).showing(waits) }
    return world
  }
}

extension HTTPTransport {
  fileprivate func showing(_ waits: LongWaits) -> HTTPTransport {
    let begin: @Sendable (HTTPURL, Int) -> @Sendable () -> Void = { url, seconds in
      let host = url.origin.authority
      return waits.begin(Int64(seconds)) { left in "waiting for \(host): \(left)" }
    }
    return HTTPTransport(
      send: { request throws(HTTPFailure) in
        let end = begin(request.url, request.timeout)
        defer { end() }
        return try await send(request)
      },
      stream: { request throws(HTTPFailure) in
        // A body on its way has a line of its own.
        let end = request.body == nil ? begin(request.url, request.timeout) : {}
        defer { end() }
        return try await stream(request)
      },
      prepare: prepare
    )
  }
}

extension Keyring {
  /// The calls of a shared keyring that reach its engine.
  fileprivate func showing(_ waits: LongWaits) -> Keyring {
    guard let accounts else { return self }
    let title = kind.title
    // An engine is asked several times, each for 5 seconds at most.
    let begin = { @Sendable in waits.begin(15) { left in "waiting for \(title): \(left)" } }
    var keyring = self
    keyring.prepare = { interaction throws(KeyringFailure) in
      let end = begin()
      defer { end() }
      try await prepare(interaction)
    }
    keyring.accounts?.fetch = { account, interaction throws(KeyringFailure) in
      let end = begin()
      defer { end() }
      return try accounts.fetch(account, interaction)
    }
    keyring.accounts?.fetchAll = { interaction throws(KeyringFailure) in
      let end = begin()
      defer { end() }
      return try accounts.fetchAll(interaction)
    }
    keyring.accounts?.store = { account, interaction throws(SharedAccountFailure) in
      let end = begin()
      defer { end() }
      try accounts.store(account, interaction)
    }
    keyring.accounts?.claim = { intent, interaction throws(KeyringFailure) in
      let end = begin()
      defer { end() }
      return try await accounts.claim(intent, interaction)
    }
    return keyring
  }
}
