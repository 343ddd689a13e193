package import AcctModel
package import AcctPorts
package import KeyDevices
package import Secrets

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
    return try TPMKey(try make(.loadable, .signing(hasPIN: pin != nil), password: pin))
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

/// The capabilities and properties that a TPM is asked for (TPM_CAP and TPM_PT, TPM 2.0 Library, Part 2 §6.12 and
/// §6.13).
enum Capability {
  /// TPM_CAP_HANDLES.
  static let handles: UInt32 = 1
  /// TPM_CAP_TPM_PROPERTIES.
  static let properties: UInt32 = 6

  /// TPM_PT_MANUFACTURER, before TPM_PT_VENDOR_STRING_1 to _4: four characters each.
  static let manufacturer: UInt32 = 0x105
  /// TPM_PT_PERMANENT, the first of those that change: bit 9 is inLockout (TPMA_PERMANENT, Part 2 §8.6).
  static let permanent: UInt32 = 0x200
  /// TPM_PT_LOCKOUT_COUNTER: wrong passwords so far.
  static let lockoutCounter: UInt32 = 0x20E
  /// TPM_PT_MAX_AUTH_FAIL: how many it allows.
  static let maxAuthFail: UInt32 = 0x20F
}

/// The state of a TPM's lockout after wrong PINs.
struct LockoutState {
  let isLockedOut: Bool
  let triesLeft: Int

  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)`` if one of the properties is not there.
  init(_ properties: [UInt32: UInt32]) throws(HardwareKeyFailure) {
    guard let permanent = properties[Capability.permanent], let counter = properties[Capability.lockoutCounter],
      let limit = properties[Capability.maxAuthFail]
    else { throw .malformedReply(reason: "a property is missing") }
    isLockedOut = permanent & 1 << 9 != 0
    triesLeft = isLockedOut || counter >= limit ? 0 : Int(limit - counter)
  }
}

/// The words of a maker, of its numbers: printable, with single spaces.
func makerName(_ properties: [UInt32: UInt32]) -> String {
  var words = ""
  for (place, property) in (Capability.manufacturer..<Capability.manufacturer + 5).enumerated() {
    let value = properties[property] ?? 0
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: value >> shift)
      if byte != 0 { words.unicodeScalars.append(.init((0x20..<0x7F).contains(byte) ? byte : 0x3F)) }
    }
    // The maker's name is a word of its own; the four others are pieces of one text.
    if place == 0 { words += " " }
  }
  return words.split(separator: " ").joined(separator: " ")
}

/// Commands and replies on one link, and the objects that they left in the TPM.
struct Conversation: ~Copyable {
  private let link: Link
  /// For all of it: a TPM that stalls takes no more time in several commands than in one.
  private let end: Deadline
  private var hasBegun = false
  private var isBroken = false
  private var hasSwept = false
  private var loaded: [UInt32] = []

  /// Opens the link.
  ///
  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - end: When all of it must be done, the waiting for other callers included.
  /// - Throws: As ``Link/init(to:until:)``.
  init(with address: TPMAddress, until end: Deadline) throws(HardwareKeyFailure) {
    self.end = end
    link = try Link(to: address, until: end)
  }

  /// Gives a command, again and again where the TPM asks for that, and returns the reply to it.
  mutating func run(_ command: consuming CommandWriter) throws(HardwareKeyFailure) -> Reply {
    command.finish()
    defer { command.wipe() }
    var pause: Int32 = 1
    var refusal: ResponseCode?
    while true {
      let reply: Reply
      do throws(HardwareKeyFailure) { reply = try exchange(command, until: end) } catch {
        // The time may end during one more attempt; the TPM's earlier reply counts then.
        guard let refusal, end.left <= 0 else { throw error }
        throw refusal.failure(of: command.code)
      }
      if reply.code == .success {
        if command.code.returnsHandle { loaded.append(reply.handle) }
        return reply
      }
      if reply.code.lacksRoom, !link.hasResourceManager, !hasSwept {
        hasSwept = true
        try sweep()
        continue
      }
      guard reply.code.asksToTryAgain || reply.code.lacksRoom, end.left > 0 else {
        throw reply.code.failure(of: command.code)
      }
      refusal = reply.code
      end.pause(pause)
      pause = min(2 * pause, 256)
    }
  }

  /// Removes the loaded objects, unless the kernel does.
  ///
  /// A failure is not one of the operation, which has its result: the next caller that finds no room sweeps.
  mutating func leave() {
    guard !link.hasResourceManager else { return }
    // An operation whose time is over leaves nothing behind either, if the TPM answers at all.
    let end = Deadline(after: Self.farewell)
    for handle in loaded.reversed() where !isBroken {
      var command = CommandWriter.flushContext(handle)
      command.finish()
      _ = try? exchange(command, until: end)
    }
  }

  private static let farewell = Duration.seconds(1)

  /// Removes the objects that killed processes have left in a TPM without a resource manager.
  ///
  /// There is one caller at a time, so it is not in use.
  private mutating func sweep() throws(HardwareKeyFailure) {
    let listed = try run(.getCapability(Capability.handles, from: Handle.firstTransient, count: 64))
    for handle in try listed.handles()
    where Handle.isTransient(handle) && !loaded.contains(handle) { _ = try run(.flushContext(handle)) }
  }

  private mutating func exchange(_ command: CommandWriter, until end: Deadline) throws(HardwareKeyFailure) -> Reply {
    do throws(HardwareKeyFailure) {
      let bytes = try link.exchange(command.bytes, until: end)
      hasBegun = true
      return try Reply(bytes, to: command.code)
    } catch {
      isBroken = true
      // A caller of a bare TPM is connected while others keep the TPM from its first command; later ones have begun.
      guard hasBegun, error == .busy else { throw error }
      throw .failed(reason: "\(link.name) does not answer")
    }
  }
}
