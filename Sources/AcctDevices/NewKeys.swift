package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import KeyDevices

/// A place in a device where a new key is made.
enum DevicePlace: Hashable, Sendable {
  /// In a TPM; with a PIN that is chosen now, or without one.
  case tpm(TPMAddress, withPIN: Bool)
  /// In a token: the object that the URI names, which is made if it does not exist.
  case token(PKCS11URI)
}

/// Makes the keys of sign-ins in devices, and removes those that no account uses in the end.
package struct NewKeys: Sendable {
  private let context: EngineContext
  private let devices: Devices

  package init(_ context: EngineContext) { self.init(context, context.ownDevices) }

  init(_ context: EngineContext, _ devices: Devices) {
    self.context = context
    self.devices = devices
  }

  /// Makes a key in a device.
  ///
  /// - Throws: ``KeyError/notShared(_:)``, ``KeyError/hardware(_:_:)``.
  func make(in place: DevicePlace) async throws(EngineError) -> DPoPKey {
    let keyring = try await KeyringChoice(context.world).proposed()
    guard keyring.accounts == nil else { throw .key(.notShared(keyring.kind)) }
    switch place {
    case .tpm(let address, let withPIN):
      let access = DeviceAccess()
      let tpm = devices.hardware.tpm
      let key = try await using(access, .tpm2) { holder throws(HardwareKeyFailure) in
        let key = try await tpm.create(address, withPIN, holder)
        // The stored blob must be of the key that the tokens are bound to.
        guard try tpm.read(key.blob).point == key.point else {
          throw .otherBlob
        }
        return key
      }
      return try note(KeptKey(.tpm2(blob: key.blob, address), isMade: true), key.point, isNew: true, access)
    case .token(let uri):
      let access = devices.access(to: .pkcs11(uri))
      let pkcs11 = devices.hardware.pkcs11
      let key = try await using(access, .pkcs11) { holder throws(HardwareKeyFailure) in
        try await pkcs11.take(uri, guarded(holder))
      }
      if key.mayHaveCopies { devices.noteCopies() }
      var kept = KeptKey(.pkcs11(key.uri), isMade: key.isNew)
      var new = try note(kept, key.point, isNew: key.isNew, access)
      if !key.isNew, await isMade(new) {
        kept.isMade = true
        new = try note(kept, key.point, isNew: false, access)
      }
      guard !devices.signalGuard.wasCalled else { throw .key(.hardware(.cancelled, .pkcs11)) }
      return new
    }
  }

  /// Makes a key where the accounts have theirs, of which one or more are in devices.
  ///
  /// - Throws: ``NewKeyFlaw/placeUnclear(_:)``, and as ``make(in:)``.
  func make(besideThoseOf accounts: [Account]) async throws(EngineError) -> DPoPKey {
    // A software key has none.
    var places: Set<DevicePlace?> = []
    for account in accounts { places.insert(try await place(of: account)) }
    guard places.count == 1, let place = places.first ?? nil else {
      throw .newKey(.placeUnclear(accounts.map(\.name)))
    }
    return try await make(in: place)
  }

  /// Checks that the granted tokens are bound to the key that was made or found in a device.
  package func requireUse(in credentials: NewCredentials) throws(EngineError) {
    guard devices.hasTaken, credentials.key?.hardware == nil else { return }
    throw .newKey(.notBound(credentials.identity.issuer?.url.origin ?? credentials.service))
  }

  /// Runs a sign-in and stores its account; once it has made a key in a token, signals cancel it.
  ///
  /// ``keep()`` or ``discard()`` has to follow.
  ///
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  package func guarding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value { try await devices.signalGuard.guarding(body) }

  /// Keeps the key, after the account was stored.
  ///
  /// - Returns: A notice about the key, if there is one.
  package func keep() -> [Notice] {
    _ = devices.takeNew()
    devices.signalGuard.end()
    return devices.mayHaveCopies ? [.mayHaveCopies] : []
  }

  /// Removes the keys that no account uses; a TPM stores none of them.
  ///
  /// - Returns: Notices about keys that could not be removed.
  package func discard() async -> [Notice] {
    var notices: [Notice] = []
    for reference in devices.takeNew() {
      guard case .pkcs11(let uri) = reference else { continue }
      do throws(HardwareKeyFailure) { try await devices.remove(uri, context) } catch {
        notices.append(.keyLeft(uri, error))
      }
    }
    devices.signalGuard.end()
    return notices
  }

  /// Wraps the holder of a token that may get a key now, which a signal would leave there.
  ///
  /// During the prompt for the PIN, Ctrl-C ends the process as at every prompt: nothing was made yet.
  private func guarded(_ holder: KeyHolder) -> KeyHolder {
    let (signalGuard, signals) = (devices.signalGuard, context.world.signals)
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

  private func note(
    _ kept: KeptKey,
    _ point: HardwareKeyPoint,
    isNew: Bool,
    _ access: DeviceAccess
  ) throws(EngineError) -> DPoPKey {
    devices.note(access, to: kept.reference, isNew: isNew)
    do {
      let stored = try StoredHardwareKey(kept.reference.storage, kept.place, x: point.x, y: point.y)
      return DPoPKey(devices.key(stored, kept, context))
    } catch {
      throw .key(.hardware(.notOnCurve, kept.reference.storage))
    }
  }

  /// Returns `true` if acct made a key for an existing account: then it remains acct's to remove.
  private func isMade(_ key: DPoPKey) async -> Bool {
    let accounts = (try? context.accountStore.listing().accounts) ?? []
    for account in accounts
    where account.keyStorage == .pkcs11 && account.thumbprint == key.thumbprint {
      let stored = try? await CredentialStore(of: account, in: context).storedHardwareKey()
      if let stored, (try? KeptKey(stored))?.isMade == true { return true }
    }
    return false
  }

  /// The place where a new key of the account is made; `nil` outside of devices.
  private func place(of account: Account) async throws(EngineError) -> DevicePlace? {
    guard account.keyStorage != .software else { return nil }
    // A software key would be rejected after the sign-in: the account has its key in a device.
    var kept: KeptKey?
    do throws(EngineError) {
      kept = try await CredentialStore(of: account, in: context).storedHardwareKey().flatMap { try? KeptKey($0) }
    } catch {
      guard case .keyring(.damagedItem) = error else { throw error }
    }
    switch kept?.reference {
    case .tpm2(let blob, let address):
      let hasPIN = (try? devices.hardware.tpm.read(blob).hasPIN) ?? false
      return .tpm(address, withPIN: hasPIN)
    case .pkcs11(let uri): return .token(uri)
    case nil:
      guard account.keyStorage == .tpm2 else { throw .newKey(.placeUnclear([account.name])) }
      return .tpm(try context.world.environment.tpmAddress(), withPIN: false)
    }
  }
}
