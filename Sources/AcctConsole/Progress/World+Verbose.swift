import AcctModel
import AcctPorts

extension World {
  /// Says one line on standard error, in characters that the locale has.
  package func report(_ line: String) {
    let shown = localeIsUTF8(environment.variable) ? line : ascii(line)
    for part in folded(shown, at: line.hasPrefix("acct: ") ? errorColumns : nil) { streams.notice(part) }
  }

  /// The width of the terminal at standard error; `nil` where there is none.
  package var errorColumns: Int? {
    guard streams.passing != nil else { return nil }
    return environment.variable("COLUMNS").flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? streams.errorColumns()
  }

  /// This world with a line on standard error for each request to network and keyring.
  ///
  /// Names, addresses and statuses, and nothing that could be a secret: no query, no field, no
  /// body, no item's value.
  func logging() -> World {
    let log: @Sendable (String) -> Void = { line in self.report("acct: \(line)") }
    var world = self
    world.transport = transport.logging(log)
    world.secretService = secretService.logging(log)
    world.vaultKeyring = vaultKeyring.logging(log)
    let shared = sharedKeyring
    world.sharedKeyring = { kind in shared(kind).logging(log) }
    world.dns = dns.logging(log)
    return world
  }
}

extension HTTPTransport {
  fileprivate func logging(_ log: @escaping @Sendable (String) -> Void) -> HTTPTransport {
    let logCall: @Sendable (String, HTTPURL, String) -> Void = { method, url, outcome in
      log("\(method) \(url.origin)\(url.path): \(outcome)")
    }
    return HTTPTransport(
      send: { request throws(HTTPFailure) in
        do throws(HTTPFailure) {
          let response = try await send(request)
          logCall(request.method, request.url, "\(response.status)")
          return response
        } catch {
          logCall(request.method, request.url, words(for: error))
          throw error
        }
      },
      stream: { request throws(HTTPFailure) in
        do throws(HTTPFailure) {
          let response = try await stream(request)
          logCall(request.method, request.url, "\(response.head.status)")
          return response
        } catch {
          logCall(request.method, request.url, words(for: error))
          throw error
        }
      },
      prepare: prepare
    )
  }
}

extension DNS {
  fileprivate func logging(_ log: @escaping @Sendable (String) -> Void) -> DNS {
    DNS { name, seconds throws(DNSFailure) in
      log("DNS TXT \(name)")
      return try await txt(name, seconds)
    }
  }
}

extension Keyring {
  fileprivate func logging(_ log: @escaping @Sendable (String) -> Void) -> Keyring {
    let kind = kind.rawValue
    let logCall: @Sendable (String, AccountID, [ItemKind]) -> Void = { verb, account, kinds in
      let keys = kinds.map { $0.key(for: account) }.joined(separator: " ")
      log("\(kind): \(verb) \(keys)")
    }
    var keyring = self
    keyring.read = { account, kinds, interaction throws(KeyringFailure) in
      logCall("read", account, kinds)
      return try await read(account, kinds, interaction)
    }
    keyring.write = { account, items, interaction throws(KeyringFailure) in
      logCall("write", account, items.map(\.kind))
      try await write(account, items, interaction)
    }
    keyring.remove = { account, kinds, interaction throws(KeyringFailure) in
      logCall("remove", account, kinds)
      try await remove(account, kinds, interaction)
    }
    keyring.list = { () throws(KeyringFailure) in
      log("\(kind): list")
      return try await list()
    }
    keyring.prepare = { interaction throws(KeyringFailure) in
      log("\(kind): prepare")
      try await prepare(interaction)
    }
    keyring.accounts = accounts?.logging { log("\(kind): \($0)") }
    return keyring
  }
}

extension SharedAccounts {
  fileprivate func logging(_ log: @escaping @Sendable (String) -> Void) -> SharedAccounts {
    var accounts = self
    accounts.fetch = { account, interaction throws(KeyringFailure) in
      log("fetch \(account)")
      return try fetch(account, interaction)
    }
    accounts.fetchAll = { interaction throws(KeyringFailure) in
      log("fetch all")
      return try fetchAll(interaction)
    }
    accounts.store = { account, interaction throws(SharedAccountFailure) in
      let keys = account.items.written.map { $0.kind.key(for: account.id) }
      log((["store \(account.id)"] + keys).joined(separator: " "))
      try store(account, interaction)
    }
    accounts.remove = { account, event, interaction throws(KeyringFailure) in
      log("remove \(account)")
      try remove(account, event, interaction)
    }
    accounts.claim = { intent, interaction throws(KeyringFailure) in
      log("claim \(intent.account)")
      return try await claim(intent, interaction)
    }
    return accounts
  }
}
