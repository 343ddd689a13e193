package import AcctModel
package import Secrets
package import AcctPorts
package import KeyDevices

/// A TPM, which each operation opens and leaves as it was.
package struct TPMDevice: Sendable {
  private let address: TPMAddress
  private let patience: Duration

  /// The longest PIN: the size of the hash in the key's name (TPM 2.0 Library, Part 1 §17.6.4.2).
  private static let longestPIN = 32

  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - patience: The time limit of an operation, with the waiting for other callers.
  package init(at address: TPMAddress, patience: Duration = .seconds(20)) {
    self.address = address
    self.patience = patience
  }

  /// Makes a key, and has the TPM load it again before it is relied on.
  package func makeKey(pin: Secret?) throws(HardwareKeyFailure) -> TPMKey {
    if let pin, !(1...Self.longestPIN).contains(pin.count) {
      throw .unsuitable(reason: "a PIN of a TPM has 1 to \(Self.longestPIN) bytes")
    }
    let file = try make(.loadable, .signing(hasPIN: pin != nil), password: pin)
    let key = try TPMKey(file)
    return key
  }

  /// Signs a SHA-256 digest with a key; returns r and s, 32 bytes each.
  package func sign(_ digest: [UInt8], with key: KeyFile, pin: Secret? = nil) throws(HardwareKeyFailure) -> [UInt8] {
    guard digest.count == 32 else { throw .unsuitable(reason: "a digest of another length") }
    // A longer one is wrong for certain, and need not be counted.
    if let pin, pin.count > Self.longestPIN { throw .wrongPIN(triesLeft: nil) }
    return try converse { talk throws(HardwareKeyFailure) in
      let handle = try Self.load(key, &talk)
      do throws(HardwareKeyFailure) {
        return try talk.run(.sign(digest, with: handle, password: pin)).signature()
      } catch {
        guard error == .wrongPIN(triesLeft: nil), try key.isCounted else { throw error }
        // The state of the lockout only adds to the failure.
        var triesLeft: Int?
        do throws(HardwareKeyFailure) { triesLeft = try Self.lockout(&talk).triesLeft } catch {}
        throw .wrongPIN(triesLeft: triesLeft)
      }
    }
  }

  /// Makes a key for ECDH, and has the TPM load it again before it is relied on.
  package func makeAgreementKey() throws(HardwareKeyFailure) -> KeyFile {
    let file = try make(.loadable, .agreement)
    _ = try file.agreementPoint
    return file
  }

  /// Computes what a key and another's public one have in common (ECDH).
  ///
  /// - Parameters:
  ///   - point: The other's point, which has been found to be one of the curve.
  ///   - key: A key that ``makeAgreementKey()`` returned.
  /// - Returns: The x coordinate, 32 bytes.
  /// - Throws: ``HardwareKeyFailure/foreign``, or another reason why the TPM does not use the key.
  package func agree(with point: HardwareKeyPoint, by key: KeyFile) throws(HardwareKeyFailure) -> Secret {
    _ = try key.agreementPoint
    guard point.x.count == 32, point.y.count == 32 else { throw .unsuitable(reason: "a point of another length") }
    return try converse { talk throws(HardwareKeyFailure) in
      let handle = try Self.load(key, &talk)
      return try talk.run(.agree(with: point, by: handle)).agreement()
    }
  }

  /// Checks that the TPM loads the key and takes PINs now.
  ///
  /// - Parameter key: The key that the PIN is for, if it was made: another TPM does not load it.
  /// - Throws: ``HardwareKeyFailure/lockedOut``, ``HardwareKeyFailure/foreign``, or another reason why it would not.
  package func checkForPIN(of key: KeyFile? = nil) throws(HardwareKeyFailure) {
    let state = try converse { talk throws(HardwareKeyFailure) in
      if let key { _ = try Self.load(key, &talk) }
      return try Self.lockout(&talk)
    }
    if state.isLockedOut { throw .lockedOut }
  }

  /// Seals up to 128 bytes, and has the TPM load them again before they are relied on.
  package func seal(_ data: Secret) throws(HardwareKeyFailure) -> [UInt8] {
    guard (1...Template.sealedLimit).contains(data.count) else {
      throw .unsuitable(reason: "a TPM seals 1 to \(Template.sealedLimit) bytes")
    }
    return try make(.sealed, .sealed, data: data).der
  }

  /// Opens an object that ``seal(_:)`` returned.
  package func unseal(_ blob: [UInt8]) throws(HardwareKeyFailure) -> Secret {
    let file = try KeyFile(der: blob)
    guard file.kind == .sealed, file.emptyAuth else {
      throw .unsuitable(reason: "it is no sealed data without a password")
    }
    try PublicArea.checkSealed(file.publicPart)
    return try converse { talk throws(HardwareKeyFailure) in
      let handle = try Self.load(file, &talk)
      return try talk.run(.unseal(handle)).unsealed()
    }
  }

  /// Describes the TPM.
  package func describe() throws(HardwareKeyFailure) -> TPMDescription {
    try converse { talk throws(HardwareKeyFailure) in
      let maker = try talk.run(.getCapability(Capability.properties, from: Capability.manufacturer, count: 5))
      let state = try Self.lockout(&talk)
      return TPMDescription(
        manufacturer: makerName(try maker.properties()),
        isLockedOut: state.isLockedOut,
        triesLeft: state.triesLeft
      )
    }
  }

  private func converse<Value>(
    _ body: (inout Conversation) throws(HardwareKeyFailure) -> Value
  ) throws(HardwareKeyFailure) -> Value {
    var talk = try Conversation(with: address, until: Deadline(after: patience))
    defer { talk.leave() }
    return try body(&talk)
  }

  private func make(
    _ kind: KeyFile.Kind,
    _ template: Template,
    password: Secret? = nil,
    data: Secret? = nil
  ) throws(HardwareKeyFailure) -> KeyFile {
    try converse { talk throws(HardwareKeyFailure) in
      let parent = try Self.parent(&talk)
      let made = try talk.run(.create(template, below: parent, password: password, data: data)).created()
      let file = KeyFile(
        kind,
        emptyAuth: password == nil,
        parent: parent == Handle.storageKey ? parent : Handle.owner,
        publicPart: made.publicPart,
        privatePart: made.privatePart
      )
      // The TPM refuses it if a byte of it was changed on the way.
      _ = try talk.run(.load(file, below: parent))
      return file
    }
  }

  /// Loads an object below its parent, which is derived unless it stays loaded.
  private static func load(_ file: KeyFile, _ talk: inout Conversation) throws(HardwareKeyFailure) -> UInt32 {
    guard file.parent == Handle.owner else { return try talk.run(.load(file, below: file.parent)).handle }
    let parent = try Self.parent(&talk)
    do throws(HardwareKeyFailure) { return try talk.run(.load(file, below: parent)).handle } catch {
      guard error == .foreign, parent == Handle.storageKey else { throw error }
      // The owner can still derive its parent: it is not lost.
      throw .failed(reason: "its owner's password keeps acct from this key, whose parent is not 0x81000001")
    }
  }

  /// The key that objects are made below.
  ///
  /// It is derived from the owner's seed or, where the owner set a password, the storage key that stays loaded. Both are
  /// the same where that was made by the same template.
  ///
  /// - Throws: ``HardwareKeyFailure/owned`` where only the owner can derive it and none stays loaded.
  private static func parent(_ talk: inout Conversation) throws(HardwareKeyFailure) -> UInt32 {
    do throws(HardwareKeyFailure) { return try talk.run(.createPrimary()).handle } catch {
      guard error == .owned else { throw error }
      let kept = try talk.run(.getCapability(Capability.handles, from: Handle.storageKey, count: 1)).handles()
      guard kept == [Handle.storageKey] else { throw error }
      return Handle.storageKey
    }
  }

  private static func lockout(_ talk: inout Conversation) throws(HardwareKeyFailure) -> LockoutState {
    let reply = try talk.run(.getCapability(Capability.properties, from: Capability.permanent, count: 16))
    return try LockoutState(try reply.properties())
  }
}
