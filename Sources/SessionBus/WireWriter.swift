package import Secrets

/// D-Bus values in the wire format, in the machine's byte order (D-Bus Specification,
/// "Marshaling (Wire Format)").
///
/// The first byte is at a multiple of 8, as that of a message's body is.
package struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  ///
  /// - Parameter secretCount: The bytes of the secrets that will be written: with room for them from
  ///   the start, no half-grown copy of a secret is left behind unwiped.
  package init(secretCount: Int = 0) { bytes.reserveCapacity(secretCount + 1024) }

  /// The number of bytes.
  package var count: Int { bytes.count }

  /// Pads with zeros to a multiple of `boundary`; 8 begins a structure or a dictionary entry.
  package mutating func align(_ boundary: Int) {
    while bytes.count % boundary != 0 { bytes.append(0) }
  }

  /// Writes a `y`.
  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes a `u`.
  package mutating func uint32(_ value: UInt32) {
    align(4)
    for shift in UInt32.shiftsInMemoryOrder { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Writes a `b`.
  package mutating func boolean(_ value: Bool) { uint32(value ? 1 : 0) }

  /// Writes an `s` or an `o`.
  package mutating func string(_ text: String) {
    uint32(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// Writes a `g`.
  package mutating func signature(_ text: String) {
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// Writes an `ay`.
  package mutating func bytes(_ secret: Secret) {
    uint32(UInt32(secret.count))
    secret.withBytes { span in
      for index in span.indices { bytes.append(span[index]) }
    }
  }

  /// Writes a `v`: the signature, and then the value, which `body` writes.
  package mutating func variant(_ type: String, _ body: (inout WireWriter) -> Void) {
    signature(type)
    body(&self)
  }

  /// Writes an array of elements, which `body` writes, each aligned to `boundary`.
  package mutating func array(alignedTo boundary: Int, _ body: (inout WireWriter) -> Void) {
    uint32(0)
    let lengthEnd = bytes.count
    align(boundary)
    let start = bytes.count
    body(&self)
    let length = UInt32(bytes.count - start)
    for (index, shift) in UInt32.shiftsInMemoryOrder.enumerated() {
      bytes[lengthEnd - 4 + index] = UInt8(truncatingIfNeeded: length >> shift)
    }
  }

  mutating func append(_ other: WireWriter) { bytes.append(contentsOf: other.bytes) }
}

extension UInt32 {
  /// The shift for each byte of a number, from the lowest address up.
  static var shiftsInMemoryOrder: [UInt32] { isLittleEndianMachine ? [0, 8, 16, 24] : [24, 16, 8, 0] }
}

/// The byte order of this machine, which messages are written in.
let isLittleEndianMachine = UInt16(1).littleEndian == 1
