import AcctModel
import AcctPorts
package import AcctProtocol

/// Makes the DPoP keys of sign-ins, and removes those that no account uses in the end.
package struct NewKeys: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Makes a key in the place that the user chose.
  ///
  /// A key in a device is made before the user signs in, since the request to the server names it.
  ///
  /// - Parameters:
  ///   - wish: The user's options.
  ///   - isLikely: Returns `true` for an account that the sign-in may be to again. Its key's place is kept: an account
  ///     that has its key in a device never gets a software key by itself.
  /// - Returns: The key.
  /// - Throws: ``KeyError/placeUnclear(_:)``, ``KeyError/notShared(_:)``, ``KeyError/hardware(_:_:)``.
  func make(_ wish: KeyRequest, likely isLikely: (Account) -> Bool) async throws(EngineError) -> DPoPKey {
    let place = if let place = wish.place { place } else { try await usual(wish, isLikely) }
    guard place != .software else { return try software() }
    let keyring = try await KeyringChoice(context.world).proposed()
    guard keyring.accounts == nil else { throw .key(.notShared(keyring.kind)) }
    switch place {
    case .software: return try software()
    case .tpm(let address, let withPIN):
      let access = DeviceAccess()
      let tpm = context.world.hardwareKeys.tpm
      let key = try await using(access, .tpm2) { holder throws(HardwareKeyFailure) in
        let key = try await tpm.create(address, withPIN, holder)
        // The stored blob must be of the key that the tokens are bound to.
        guard try tpm.read(key.blob).point == key.point else {
          throw .otherBlob
        }
        return key
      }
      let reference = HardwareKeyReference.tpm2(blob: key.blob, address)
      return try stored(reference, key.point, isMade: true, isNew: true, access)
    case .pkcs11(let uri):
      let access = context.deviceKeys.access(to: .pkcs11(uri))
      let key = try await using(access, .pkcs11) { holder throws(HardwareKeyFailure) in
        try await context.world.hardwareKeys.pkcs11.take(uri, guarded(holder))
      }
      if key.mayHaveCopies { context.deviceKeys.noteCopies() }
      let reference = HardwareKeyReference.pkcs11(key.uri)
      var new = try stored(reference, key.point, isMade: key.isNew, isNew: key.isNew, access)
      if !key.isNew, await isMade(new), var stored = new.hardware?.stored {
        stored.isMade = true
        new = DPoPKey(context.hardwareKey(stored))
      }
      guard !context.deviceKeys.signalGuard.wasCalled else { throw .key(.hardware(.cancelled, .pkcs11)) }
      return new
    }
  }

  private func software() throws(EngineError) -> DPoPKey {
    do { return try DPoPKey.generate() } catch { throw .key(.unusable(error)) }
  }

  /// Checks that the granted tokens are bound to the key that was made or found in a device.
  package func requireUse(in credentials: NewCredentials) throws(EngineError) {
    guard context.deviceKeys.hasTaken, credentials.key?.hardware == nil else { return }
    throw .key(.notBound(credentials.identity.issuer?.url.origin ?? credentials.service))
  }

  /// Runs a sign-in and stores its account; once it has made a key in a token, signals cancel it.
  ///
  /// ``keep()`` or ``discard()`` has to follow.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func guarding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value { try await context.deviceKeys.signalGuard.guarding(body) }

  /// Keeps the key, after the account was stored.
  ///
  /// - Returns: A notice about the key, if there is one.
  package func keep() -> [Notice] {
    _ = context.deviceKeys.takeNew()
    context.deviceKeys.signalGuard.end()
    return context.deviceKeys.mayHaveCopies ? [.keyMayHaveCopies] : []
  }

  /// Removes the keys that no account uses; a TPM stores none of them.
  ///
  /// - Returns: Notices about keys that could not be removed.
  package func discard() async -> [Notice] {
    var notices: [Notice] = []
    for reference in context.deviceKeys.takeNew() {
      guard case .pkcs11(let uri) = reference else { continue }
      do throws(HardwareKeyFailure) { try await context.remove(uri) } catch {
        notices.append(.keyLeft(uri: uri.description, because: error))
      }
    }
    context.deviceKeys.signalGuard.end()
    return notices
  }

  /// Wraps the holder of a token that may get a key now, which a signal would leave there.
  ///
  /// During the prompt for the PIN, Ctrl-C ends the process as at every prompt: nothing was made yet.
  private func guarded(_ holder: KeyHolder) -> KeyHolder {
    let (signalGuard, signals) = (context.deviceKeys.signalGuard, context.world.signals)
    signalGuard.begin(signals)
    var guarded = holder
    guarded.pin = { request throws(HardwareKeyFailure) in
      signalGuard.end()
      defer { signalGuard.begin(signals) }
      return try holder.pin(request)
    }
    return guarded
  }

  private func using<Value>(
    _ access: DeviceAccess,
    _ storage: KeyStorage,
    _ body: (KeyHolder) async throws(HardwareKeyFailure) -> Value
  ) async throws(EngineError) -> Value {
    do { return try await access.use(in: context, body) } catch { throw .key(.hardware(error, storage)) }
  }

  private func stored(
    _ reference: HardwareKeyReference,
    _ point: HardwareKeyPoint,
    isMade: Bool,
    isNew: Bool,
    _ access: DeviceAccess
  ) throws(EngineError) -> DPoPKey {
    context.deviceKeys.note(access, to: reference, isNew: isNew)
    do {
      let stored = try StoredHardwareKey(reference, x: point.x, y: point.y, isMade: isMade)
      return DPoPKey(context.hardwareKey(stored))
    } catch {
      throw .key(.hardware(.notOnCurve, reference.storage))
    }
  }

  /// Returns `true` if acct made a key for an existing account: then it remains acct's to remove.
  private func isMade(_ key: DPoPKey) async -> Bool {
    let accounts = (try? context.accountStore.listing().accounts) ?? []
    for account in accounts
    where account.keyStorage == .pkcs11 && account.thumbprint == key.thumbprint {
      let stored = try? await CredentialStore(of: account, in: context).storedHardwareKey()
      if stored?.isMade == true { return true }
    }
    return false
  }

  /// The place of the keys of the accounts that may be meant.
  private func usual(_ wish: KeyRequest, _ isLikely: (Account) -> Bool) async throws(EngineError) -> KeyPlace {
    if let account = wish.account { return try await CredentialStore(of: account, in: context).keyPlace() }
    var accounts = try context.accountStore.listing().accounts.filter(isLikely)
    if let named = accounts.first(where: { $0.name == wish.accountName }) { accounts = [named] }
    guard accounts.contains(where: { $0.keyStorage != .software }) else { return .software }
    var places: Set<KeyPlace> = []
    for account in accounts { places.insert(try await CredentialStore(of: account, in: context).keyPlace()) }
    guard let place = places.first, places.count == 1 else { throw .key(.placeUnclear(accounts.map(\.name))) }
    return place
  }
}

extension CredentialStore {
  /// The keyring's reference to the account's key, if that is in a device.
  package func storedHardwareKey() async throws(EngineError) -> StoredHardwareKey? {
    guard let item = try await items([.keypair])[.keypair] else { return nil }
    do throws(JWKError) {
      return try context.key(item, in: keyring).hardware?.stored
    } catch { throw .keyring(.damagedItem(account.name, .keypair)) }
  }

  /// The place where a new key of the account is made.
  fileprivate func keyPlace() async throws(EngineError) -> KeyPlace {
    guard account.keyStorage != .software else { return .software }
    // A software key would be rejected after the sign-in: the account has its key in a device.
    let stored: StoredHardwareKey?
    do throws(EngineError) { stored = try await storedHardwareKey() } catch {
      guard case .keyring(.damagedItem) = error else { throw error }
      stored = nil
    }
    guard let stored else {
      guard account.keyStorage == .tpm2 else { throw .key(.placeUnclear([account.name])) }
      return .tpm(try context.world.environment.tpmAddress(), withPIN: false)
    }
    switch stored.reference {
    case .tpm2(let blob, let address):
      let hasPIN = (try? context.world.hardwareKeys.tpm.read(blob).hasPIN) ?? false
      return .tpm(address, withPIN: hasPIN)
    case .pkcs11(let uri): return .pkcs11(uri)
    }
  }
}
