package import AcctModel
package import Secrets

/// The frame of a TPM's reply (TPM 2.0 Library, Part 1 §18 and Part 3 §5).
///
/// Its bytes are wiped when they are freed, as all of this process's are.
package struct Reply {
  let code: ResponseCode
  /// The object that the command loaded; 0 if it loads none.
  let handle: UInt32
  /// The rest of the reply, without the answer to the password.
  let parameters: Cursor

  /// The longest reply that is read; TPMs say 4096 (Part 2 §6.13, TPM_PT_MAX_RESPONSE_SIZE).
  static let limit = 4096
  /// Tag, size and response code.
  static let headerSize = 10

  /// Reads header, handle and session.
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``;
  ///   ``HardwareKeyFailure/unsuitable(reason:)`` if it is of a TPM 1.2.
  package init(_ bytes: [UInt8], to command: CommandCode) throws(HardwareKeyFailure) {
    var cursor = Cursor(bytes[...])
    let tag = try cursor.uint16()
    let size = try cursor.uint32()
    code = ResponseCode(try cursor.uint32())
    guard tag != StructureTag.oldReply else { throw .unsuitable(reason: "it is a TPM 1.2") }
    guard size == UInt32(clamping: bytes.count) else { throw .malformedReply(reason: "its length is wrong") }
    guard code == .success else {
      guard tag == StructureTag.noSessions else { throw .malformedReply(reason: "an error with another tag") }
      try cursor.finish()
      (handle, parameters) = (0, cursor)
      return
    }
    guard tag == (command.isAuthorized ? StructureTag.sessions : StructureTag.noSessions) else {
      throw .malformedReply(reason: "its tag is wrong")
    }
    handle = command.returnsHandle ? try cursor.uint32() : 0
    guard !command.returnsHandle || Handle.isTransient(handle) else {
      throw .malformedReply(reason: "its handle is of another kind")
    }
    guard command.isAuthorized else {
      parameters = cursor
      return
    }
    let count = try cursor.uint32()
    guard count < Reply.limit else { throw .cut }
    parameters = Cursor(try cursor.take(Int(count)))
    // TPMS_AUTH_RESPONSE of a password (Part 2 §10.13.3): no nonce, attributes, no HMAC.
    try cursor.expect(0)
    _ = try cursor.byte()
    try cursor.expect(0)
    try cursor.finish()
  }
}

/// The values that each command returns, if it succeeded.
extension Reply {
  /// Private and public part of a new object, each with its count (Part 3 §12.1).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func created() throws(HardwareKeyFailure) -> (privatePart: [UInt8], publicPart: [UInt8]) {
    var cursor = parameters
    var parts: [[UInt8]] = []
    for _ in 0..<2 {
      let before = cursor.rest
      let count = try cursor.sized().count
      parts.append(Array(before.prefix(2 + count)))
    }
    // Creation data and its hash, and a ticket with hierarchy and digest: how it was made.
    _ = try cursor.sized()
    _ = try cursor.sized(upTo: 64)
    _ = try cursor.take(6)
    _ = try cursor.sized(upTo: 64)
    try cursor.finish()
    return (parts[0], parts[1])
  }

  /// r and s of an ECDSA signature over a SHA-256 digest, 32 bytes each (TPMT_SIGNATURE, Part 2 §11.3.4).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func signature() throws(HardwareKeyFailure) -> [UInt8] {
    var cursor = parameters
    try cursor.expect(Algorithm.ecdsa)
    try cursor.expect(Algorithm.sha256)
    let r = try cursor.coordinate()
    let s = try cursor.coordinate()
    try cursor.finish()
    guard r.contains(where: { $0 != 0 }), s.contains(where: { $0 != 0 }) else {
      throw .malformedReply(reason: "a signature of zeros")
    }
    return r + s
  }

  /// The x coordinate of a shared point, 32 bytes (Part 3 §14.5; TPM2B_ECC_POINT, Part 2 §11.2.5.3).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func agreement() throws(HardwareKeyFailure) -> Secret {
    var cursor = parameters
    var point = Cursor(try cursor.sized(upTo: 68))
    try cursor.finish()
    var x = try point.coordinate()
    let y = try point.coordinate()
    try point.finish()
    guard x.contains(where: { $0 != 0 }) || y.contains(where: { $0 != 0 }) else {
      throw .malformedReply(reason: "a shared point of zeros")
    }
    return Secret(consuming: &x)
  }

  /// The data of a sealed object (Part 3 §12.7).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func unsealed() throws(HardwareKeyFailure) -> Secret {
    var cursor = parameters
    let data = try cursor.sized(upTo: Template.sealedLimit)
    try cursor.finish()
    return Secret(data)
  }

  /// The handles of a list (TPM_CAP_HANDLES, Part 2 §6.12 and §10.10.2).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func handles() throws(HardwareKeyFailure) -> [UInt32] {
    var cursor = try list(of: Capability.handles)
    var handles: [UInt32] = []
    while !cursor.rest.isEmpty { handles.append(try cursor.uint32()) }
    return handles
  }

  /// Properties and their values (TPM_CAP_TPM_PROPERTIES).
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)``.
  package func properties() throws(HardwareKeyFailure) -> [UInt32: UInt32] {
    var cursor = try list(of: Capability.properties)
    var properties: [UInt32: UInt32] = [:]
    while !cursor.rest.isEmpty {
      let property = try cursor.uint32()
      properties[property] = try cursor.uint32()
    }
    return properties
  }

  /// Steps to the first element, if the list's count fits the rest.
  private func list(of capability: UInt32) throws(HardwareKeyFailure) -> Cursor {
    var cursor = parameters
    _ = try cursor.byte()
    guard try cursor.uint32() == capability else { throw .malformedReply(reason: "a list of something else") }
    let count = Int(try cursor.uint32())
    let size = capability == Capability.handles ? 4 : 8
    guard cursor.rest.count == count * size else { throw .malformedReply(reason: "a list of another length") }
    return cursor
  }
}

/// A position in the structures of a TPM (TPM 2.0 Library, Part 1 §18; big-endian, no padding).
///
/// A length is compared with the rest before it is used. A step that finds less throws
/// ``HardwareKeyFailure/malformedReply(reason:)``.
struct Cursor {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func byte() throws(HardwareKeyFailure) -> UInt8 {
    guard let first = rest.popFirst() else { throw .cut }
    return first
  }

  mutating func uint16() throws(HardwareKeyFailure) -> UInt16 { UInt16(truncatingIfNeeded: try number(of: 2)) }

  mutating func uint32() throws(HardwareKeyFailure) -> UInt32 { try number(of: 4) }

  /// So many bytes.
  mutating func take(_ count: Int) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .cut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The bytes of a TPM2B, without its count.
  mutating func sized(upTo limit: Int = 1024) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    let count = Int(try uint16())
    guard count <= limit else { throw .malformedReply(reason: "a part of it is too long") }
    return try take(count)
  }

  /// A number of up to 32 bytes as a TPM2B, with the zeros at its front that a TPM may leave out.
  mutating func coordinate() throws(HardwareKeyFailure) -> [UInt8] {
    let number = try sized(upTo: 32)
    return Array(repeating: 0, count: 32 - number.count) + number
  }

  /// Throws if a number is not the one that must be here.
  mutating func expect(_ value: UInt16) throws(HardwareKeyFailure) {
    guard try uint16() == value else { throw .malformedReply(reason: "a part of it is of another kind") }
  }

  /// Throws unless everything was read.
  func finish() throws(HardwareKeyFailure) {
    guard rest.isEmpty else { throw .malformedReply(reason: "it is longer than its parts") }
  }

  private mutating func number(of size: Int) throws(HardwareKeyFailure) -> UInt32 {
    guard size <= rest.count else { throw .cut }
    var value: UInt32 = 0
    for byte in rest.prefix(size) { value = value << 8 | UInt32(byte) }
    rest = rest.dropFirst(size)
    return value
  }
}

extension HardwareKeyFailure {
  /// The reply ends too early.
  static let cut = malformedReply(reason: "it is cut short")
}

/// The result of a command (TPM 2.0 Library, Part 2 §6.6, TPM_RC).
struct ResponseCode: Hashable, Sendable {
  let value: UInt32

  init(_ value: UInt32) { self.value = value }

  static let success = ResponseCode(0)
  /// TPM_RC_INITIALIZE: it was not started.
  static let notStarted = ResponseCode(0x100)
  /// TPM_RC_FAILURE: a test of itself failed.
  static let failureMode = ResponseCode(0x101)
  /// TPM_RC_LOCKOUT: it had too many wrong passwords.
  static let lockout = ResponseCode(0x921)

  /// TPM_RC_YIELDED, TESTING, NV_RATE, RETRY, NV_UNAVAILABLE: the command was not begun, and can be given
  /// again (Part 2 §6.6.3, warnings).
  var asksToTryAgain: Bool {
    switch value {
    case 0x908, 0x90A, 0x920, 0x922, 0x923: true
    default: false
    }
  }

  /// TPM_RC_OBJECT_MEMORY, MEMORY, OBJECT_HANDLES: there is no room for another object.
  var lacksRoom: Bool { value == 0x902 || value == 0x904 || value == 0x906 }

  /// The error of a format-one code without the number of the handle, session or parameter that it is about
  /// (Part 2 §6.6.2); other codes as they are.
  private var kind: UInt32 { value & 0x80 == 0 ? value : value & 0xBF }

  /// TPM_RC_AUTH_FAIL, which is counted, and TPM_RC_BAD_AUTH, which is not: the password is wrong.
  var isWrongPassword: Bool { kind == 0x8E || kind == 0xA2 }

  /// The failure that a code other than ``success`` means for a command.
  ///
  /// A wrong password is the PIN's alone where a key signs: parents have none.
  func failure(of command: CommandCode) -> HardwareKeyFailure {
    if self == .lockout { return .lockedOut }
    if asksToTryAgain || lacksRoom { return .busy }
    switch command {
    case .sign where isWrongPassword: return .wrongPIN(triesLeft: nil)
    case .createPrimary where isWrongPassword: return .owned
    case .create where isWrongPassword, .load where isWrongPassword, .unseal where isWrongPassword:
      return .failed(reason: "its storage key has a password (\(number))")
    // TPM_RC_INTEGRITY: another TPM's parent encrypted it. TPM_RC_HANDLE: its parent was kept here.
    case .load where kind == 0x9F || kind == 0x8B: return .foreign
    case .create, .createPrimary, .agree, .load, .sign, .unseal, .flushContext, .getCapability: break
    }
    switch self {
    case .notStarted: return .failed(reason: "the TPM was not started (\(number))")
    case .failureMode: return .failed(reason: "the TPM is in failure mode (\(number))")
    default: return .failed(reason: "the TPM's error \(number)")
    }
  }

  private var number: String { "0x" + String(value, radix: 16) }
}
