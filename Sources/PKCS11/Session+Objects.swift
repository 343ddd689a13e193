import AcctModel
import AcctPorts
import CPKCS11

extension Session {
  /// More objects of a kind are none of a person's token.
  private static let maximumObjects = 1024
  /// In bytes; the largest that is read is a certificate.
  private static let maximumValue: CK_ULONG = 65_536

  /// Finds the objects that have these attributes.
  func find(_ template: Template) throws(HardwareKeyFailure) -> [CK_OBJECT_HANDLE] {
    try module.check(
      "C_FindObjectsInit",
      unsafe template.withAttributes { unsafe module.functions.C_FindObjectsInit?(handle, $0, $1) }
    )
    defer { _ = module.functions.C_FindObjectsFinal?(handle) }
    var found: [CK_OBJECT_HANDLE] = []
    while true {
      var part = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
      var count: CK_ULONG = 0
      try module.check(
        "C_FindObjects",
        unsafe module.functions.C_FindObjects?(handle, &part, CK_ULONG(part.count), &count)
      )
      if count == 0 { return found }
      guard count <= part.count else {
        throw .malformedReply(reason: "C_FindObjects wrote more objects than there was room for")
      }
      found += part.prefix(Int(count))
      guard found.count <= Self.maximumObjects else {
        throw .malformedReply(reason: "the token has more than \(Self.maximumObjects) objects")
      }
    }
  }

  /// Reads an attribute; `nil` if the object has none of that type, or does not show it.
  func value(of type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> [UInt8]? {
    guard let length = try length(unsafe read(type, object, into: nil, room: 0)) else { return nil }
    guard length <= Self.maximumValue else { throw .malformedReply(reason: "an attribute of \(length) bytes") }
    var bytes = [UInt8](repeating: 0, count: max(1, length))
    let result = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(type, object, into: $0.baseAddress, room: CK_ULONG($0.count))
    }
    guard let written = try self.length(result) else { return nil }
    guard written <= bytes.count else { throw .malformedReply(reason: "an attribute is longer than it said") }
    return Array(bytes.prefix(written))
  }

  /// - Returns: The call's return value, and the length that it wrote.
  private func read(
    _ type: CK_ATTRIBUTE_TYPE,
    _ object: CK_OBJECT_HANDLE,
    into buffer: UnsafeMutableRawPointer?,
    room: CK_ULONG
  ) -> (CK_RV?, CK_ULONG) {
    var attribute = unsafe CK_ATTRIBUTE(type: type, pValue: buffer, ulValueLen: room)
    let result = unsafe module.functions.C_GetAttributeValue?(handle, object, &attribute, 1)
    return (result, unsafe attribute.ulValueLen)
  }

  /// The length of an attribute; `nil` if there is none.
  private func length(_ read: (CK_RV?, CK_ULONG)) throws(HardwareKeyFailure) -> Int? {
    switch try module.answer("C_GetAttributeValue", read.0) {
    case CKR_ATTRIBUTE_TYPE_INVALID, CKR_ATTRIBUTE_SENSITIVE: return nil
    case let result: try module.check("C_GetAttributeValue", result)
    }
    // CK_UNAVAILABLE_INFORMATION, and other values that are no length.
    return Int(exactly: read.1)
  }

  /// Reads a CK_BBOOL.
  func flag(_ type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> Bool? {
    guard let bytes = try value(of: type, object), !bytes.isEmpty else { return nil }
    guard bytes.count == 1 else { throw .malformedReply(reason: "a yes or no of \(bytes.count) bytes") }
    return bytes[0] != 0
  }

  /// Reads a CK_ULONG.
  func number(_ type: CK_ATTRIBUTE_TYPE, _ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> CK_ULONG? {
    guard let bytes = try value(of: type, object) else { return nil }
    guard bytes.count == MemoryLayout<CK_ULONG>.size else {
      throw .malformedReply(reason: "a number of \(bytes.count) bytes")
    }
    return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: CK_ULONG.self) }
  }

  /// Reads a label; some modules count the zero at its end.
  func label(_ object: CK_OBJECT_HANDLE) throws(HardwareKeyFailure) -> String? {
    guard var bytes = try value(of: CKA_LABEL, object) else { return nil }
    while bytes.last == 0 { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Attributes for a module: a search, or a new object.
struct Template {
  private var entries: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) { entries.append((type, value)) }

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ isSet: Bool) { add(type, [isSet ? 1 : 0]) }

  mutating func add(_ type: CK_ATTRIBUTE_TYPE, _ number: CK_ULONG) {
    add(type, unsafe withUnsafeBytes(of: number) { unsafe Array($0) })
  }

  /// Lends the attributes as C takes them.
  func withAttributes<Result>(_ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) -> Result) -> Result {
    // Each value is aligned as any type of PKCS#11: a module may read it in place.
    let alignment = MemoryLayout<CK_ULONG>.alignment
    let sizes = entries.map { ($0.value.count + alignment - 1) / alignment * alignment }
    let values = UnsafeMutableRawPointer.allocate(byteCount: max(1, sizes.reduce(0, +)), alignment: alignment)
    defer { unsafe values.deallocate() }
    var attributes: [CK_ATTRIBUTE] = unsafe []
    var offset = 0
    for (entry, size) in zip(entries, sizes) {
      let place = unsafe values + offset
      unsafe place.copyMemory(from: entry.value, byteCount: entry.value.count)
      unsafe attributes.append(CK_ATTRIBUTE(type: entry.type, pValue: place, ulValueLen: CK_ULONG(entry.value.count)))
      offset += size
    }
    return unsafe attributes.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress, CK_ULONG($0.count)) }
  }
}
