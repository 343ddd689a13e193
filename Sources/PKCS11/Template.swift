import CPKCS11

/// Attributes for a module: what to look for, or what to make.
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
