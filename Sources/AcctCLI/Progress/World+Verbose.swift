import AcctModel
import AcctPorts

extension World {
  /// Says one line on standard error, in characters that the locale has.
  func say(_ line: String) {
    streams.notice(localeIsUTF8(surroundings.variable) ? line : ascii(line))
  }

  /// The same world, which says on standard error what is asked of network and keyring.
  ///
  /// Names, addresses and statuses, and nothing that could be a secret: no query, no field, no
  /// body, no item's value.
  func telling() -> World {
    let say: @Sendable (String) -> Void = { line in self.say("acct: \(line)") }
    var world = self
    world.transport = transport.telling(say)
    world.secretService = secretService.telling(say)
    world.vaultKeyring = vaultKeyring.telling(say)
    world.dns = dns.telling(say)
    return world
  }
}

extension HTTPTransport {
  fileprivate func telling(_ say: @escaping @Sendable (String) -> Void) -> HTTPTransport {
    let tell: @Sendable (String, HTTPURL, String) -> Void = { method, url, outcome in
      say("\(method) \(url.origin)\(url.path): \(outcome)")
    }
    return HTTPTransport(
      send: { request throws(HTTPFailure) in
        do throws(HTTPFailure) {
          let response = try await send(request)
          tell(request.method, request.url, "\(response.status)")
          return response
        } catch {
          tell(request.method, request.url, words(for: error))
          throw error
        }
      },
      stream: { request throws(HTTPFailure) in
        do throws(HTTPFailure) {
          let response = try await stream(request)
          tell(request.method, request.url, "\(response.head.status)")
          return response
        } catch {
          tell(request.method, request.url, words(for: error))
          throw error
        }
      }
    )
  }
}

extension DNS {
  fileprivate func telling(_ say: @escaping @Sendable (String) -> Void) -> DNS {
    DNS { name, seconds throws(DNSFailure) in
      say("DNS TXT \(name)")
      return try await txt(name, seconds)
    }
  }
}

extension Keyring {
  fileprivate func telling(_ say: @escaping @Sendable (String) -> Void) -> Keyring {
    let kind = kind.rawValue
    let tell: @Sendable (String, AccountID, [ItemKind]) -> Void = { verb, account, kinds in
      let keys = kinds.map { $0.key(for: account) }.joined(separator: " ")
      say("\(kind): \(verb) \(keys)")
    }
    var keyring = self
    keyring.read = { account, kinds, interaction throws(KeyringFailure) in
      tell("read", account, kinds)
      return try await read(account, kinds, interaction)
    }
    keyring.write = { account, items, interaction throws(KeyringFailure) in
      tell("write", account, items.map(\.kind))
      try await write(account, items, interaction)
    }
    keyring.remove = { account, kinds, interaction throws(KeyringFailure) in
      tell("remove", account, kinds)
      try await remove(account, kinds, interaction)
    }
    keyring.list = { () throws(KeyringFailure) in
      say("\(kind): list")
      return try await list()
    }
    keyring.prepare = { interaction throws(KeyringFailure) in
      say("\(kind): prepare")
      try await prepare(interaction)
    }
    return keyring
  }
}
