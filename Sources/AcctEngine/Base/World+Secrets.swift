import AcctModel
package import AcctPorts
import AcctProtocol
import Secrets

/// Secrets are noted where they enter or leave the process, and nowhere else, so that ``HeldSecrets/redactor`` knows
/// each before a text from outside can repeat it.
extension World {
  /// Returns a copy of the world that holds the secrets that enter or leave it from now on.
  package func holdingSecrets() -> World {
    let held = HeldSecrets()
    var changed = ports
    changed.held = held
    changed.transport = transport.noting(held)
    changed.secretService = secretService.noting(held)
    changed.vaultKeyring = vaultKeyring.noting(held)
    changed.sharedKeyring = { [sharedKeyring] kind in sharedKeyring(kind).noting(held) }
    let (ask, input) = (terminal.askSecret, streams.input)
    let readFile = secretFiles.read
    changed.terminal.askSecret = { prompt in
      let answer = ask(prompt)
      if let answer { held.hold(answer) }
      return answer
    }
    changed.secretFiles.read = { path, limit, role throws(SecretFileFailure) in
      let contents = try readFile(path, limit, role)
      if let line = contents.firstLine { held.hold(line) }
      return contents
    }
    changed.streams.input = { path, limit throws(StreamFailure) in
      let contents = try input(path, limit)
      held.hold(SecretMembers.ofBody(contents, .received))
      return contents
    }
    return World(changed)
  }
}

extension HeldSecrets {
  /// Holds the cookies that a response sets.
  package func hold(cookiesIn fields: [(name: String, value: String)]) {
    for field in fields where field.name.isSameField(as: "set-cookie") {
      hold(SecretMembers.ofFields([(field.name, Secret(field.value))]))
    }
  }
}

extension HTTPTransport {
  fileprivate func noting(_ held: HeldSecrets) -> HTTPTransport {
    HTTPTransport(
      send: { request throws(HTTPFailure) in
        let sent = try request.opened()
        held.hold(SecretMembers.ofFields(sent.fields))
        if let body = sent.body { held.hold(SecretMembers.ofBody(body, .sent)) }
        let response: HTTPResponse
        do throws(HTTPFailure) { response = try await send(request) } catch { throw error.redacted(by: held) }
        held.hold(cookiesIn: response.fields)
        held.hold(SecretMembers.ofBody(response.body, .received))
        return response
      },
      stream: { request throws(HTTPFailure) in
        held.hold(SecretMembers.ofFields(try request.opened().fields))
        let response: StreamedResponse
        do throws(HTTPFailure) { response = try await stream(request) } catch { throw error.redacted(by: held) }
        held.hold(cookiesIn: response.head.fields)
        return response
      },
      prepare: prepare
    )
  }
}

extension HTTPFailure {
  fileprivate func redacted(by held: HeldSecrets) -> HTTPFailure {
    switch self {
    case .unreachable(let reason): .unreachable(reason: held.redactor.redact(reason))
    case .untrusted(let reason): .untrusted(reason: held.redactor.redact(reason))
    case .unsendable(let reason): .unsendable(reason: held.redactor.redact(reason))
    case .proxy(let reason): .proxy(reason: held.redactor.redact(reason))
    case .unresolved, .inside, .timedOut, .closed, .malformed, .tooLarge, .cancelled, .source, .withheld, .device: self
    }
  }
}

extension Keyring {
  func noting(_ held: HeldSecrets) -> Keyring {
    var keyring = self
    keyring.read = { account, kinds, interaction throws(KeyringFailure) in
      let items = try await held.redacting { () async throws(KeyringFailure) in
        try await read(account, kinds, interaction)
      }
      for (kind, secret) in items { held.hold(kind.secrets(in: secret)) }
      return items
    }
    keyring.write = { account, items, interaction throws(KeyringFailure) in
      for item in items { held.hold(item.kind.secrets(in: item.secret)) }
      try await held.redacting { () async throws(KeyringFailure) in
        try await write(account, items, interaction)
      }
    }
    keyring.remove = { account, kinds, interaction throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in
        try await remove(account, kinds, interaction)
      }
    }
    keyring.list = { () throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in try await list() }
    }
    keyring.prepare = { interaction throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in try await prepare(interaction) }
    }
    if let unlock {
      keyring.unlock = { interaction throws(KeyringFailure) in
        try await held.redacting { () async throws(KeyringFailure) in try await unlock(interaction) }
      }
    }
    keyring.accounts = accounts?.noting(held)
    return keyring
  }
}

extension HeldSecrets {
  /// Runs a keyring operation, and redacts its failure, which may repeat a secret.
  func redacting<Value>(_ body: () async throws(KeyringFailure) -> Value) async throws(KeyringFailure) -> Value {
    do { return try await body() } catch { throw error.redacted(by: self) }
  }
}

extension ItemKind {
  /// The parts of an item that must not be shown; a name and a time may be.
  func secrets(in item: Secret) -> [Secret] {
    switch self {
    case .accessToken, .refreshToken, .session, .guest, .staticToken, .clientSecret, .idToken: [item]
    case .keypair, .clientKey, .secondTokens, .roleKeys, .registration: SecretMembers.ofBody(item, .received)
    case .certificateKey: item.linesOfPEM
    case .expiresAt, .handle, .did, .certificate: []
    }
  }
}

extension KeyringFailure {
  package func redacted(by held: HeldSecrets) -> KeyringFailure {
    switch self {
    case .locked(let reason, let opening): .locked(reason: reason.map(held.redactor.redact), openedBy: opening)
    case .sealed(let address, let failure, let reason):
      .sealed(in: address, failure, reason: reason.map(held.redactor.redact))
    case .unavailable(let reason): .unavailable(reason: held.redactor.redact(reason))
    case .failed(let reason): .failed(reason: held.redactor.redact(reason))
    case .engine(let failure): .engine(failure.redacted(by: held))
    case .cancelled, .timedOut, .noVault, .notJoined, .rolledBack, .answerWaits, .answerUnopened, .removedMachine,
      .damagedHeader, .damagedAccount, .machineKey, .settings, .newer:
      self
    }
  }
}

extension SharedStoreFailure {
  fileprivate func redacted(by held: HeldSecrets) -> SharedStoreFailure {
    switch self {
    case .unavailable(let reason): .unavailable(reason: held.redactor.redact(reason))
    case .denied(let reason): .denied(reason: held.redactor.redact(reason))
    case .readOnly(let reason): .readOnly(reason: held.redactor.redact(reason))
    case .untrusted(let reason): .untrusted(reason: held.redactor.redact(reason))
    case .notPrepared(let reason): .notPrepared(reason: held.redactor.redact(reason))
    case .failed(let reason): .failed(reason: held.redactor.redact(reason))
    case .timedOut, .noQuorum, .noSpace: self
    }
  }
}

extension Secret {
  /// The lines of a PEM file that are not the same in others; none of anything else.
  fileprivate var linesOfPEM: [Secret] {
    withBytes { bytes in
      guard bytes.count > 0, bytes[0] == UInt8(ascii: "-") else { return [] }
      return bytes.indices.split { bytes[$0] == 0x0A }.compactMap { line in
        bytes[line.startIndex] == UInt8(ascii: "-") ? nil : Secret(bytes.extracting(line.startIndex..<line.endIndex))
      }
    }
  }

  /// The first line, if it can be a passphrase: not longer than 1 KiB.
  fileprivate var firstLine: Secret? {
    withBytes { span in
      let line = span.indices.prefix { span[$0] != 0x0A && span[$0] != 0x0D }
      return line.count > 1024 ? nil : Secret(line.map { span[$0] })
    }
  }
}

extension SharedAccounts {
  /// Returns accounts that hold the secrets of stored items; a record has none.
  func noting(_ held: HeldSecrets) -> SharedAccounts {
    var accounts = self
    accounts.fetch = { account, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try fetch(account, interaction) }
    }
    accounts.fetchAll = { interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try fetchAll(interaction) }
    }
    accounts.holder = { name, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try holder(name, interaction) }
    }
    accounts.store = { account, interaction throws(SharedAccountFailure) in
      for item in account.items.written { held.hold(item.kind.secrets(in: item.secret)) }
      do throws(SharedAccountFailure) { try store(account, interaction) } catch { throw error.redacted(by: held) }
    }
    accounts.remove = { account, event, interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try remove(account, event, interaction) }
    }
    accounts.removals = { interaction throws(KeyringFailure) in
      try held.redacting { () throws(KeyringFailure) in try removals(interaction) }
    }
    accounts.claim = { intent, interaction throws(KeyringFailure) in
      try await held.redacting { () async throws(KeyringFailure) in
        try await claim(intent, interaction)
      }
    }
    return accounts
  }
}

extension HeldSecrets {
  /// Does something with a shared keyring, whose failure may repeat a secret.
  package func redacting<Value>(_ body: () throws(KeyringFailure) -> Value) throws(KeyringFailure) -> Value {
    do { return try body() } catch { throw error.redacted(by: self) }
  }
}

extension SharedAccountFailure {
  fileprivate func redacted(by held: HeldSecrets) -> SharedAccountFailure {
    switch self {
    case .keyring(let failure): .keyring(failure.redacted(by: held))
    case .nameTaken, .removed, .superseded: self
    }
  }
}
