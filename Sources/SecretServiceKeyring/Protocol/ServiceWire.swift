import Secrets
import SessionBus

// Reading and writing of the Secret Service's values.

extension WireReader {
  /// An object path, or `nil` for `/`, which stands for no object.
  mutating func object(in bytes: Span<UInt8>) throws(BusError) -> String? {
    let path = try string(in: bytes)
    return path == "/" ? nil : path
  }

  mutating func paths(in bytes: Span<UInt8>) throws(BusError) -> [String] {
    try array(alignedTo: 4, in: bytes) { reader, bytes throws(BusError) in try reader.string(in: bytes) }
  }
}

extension WireWriter {
  mutating func paths(_ paths: [String]) {
    array(alignedTo: 4) { array in
      for path in paths { array.string(path) }
    }
  }

  mutating func strings(_ members: Attributes) {
    array(alignedTo: 8) { entries in
      for (name, value) in members {
        entries.align(8)
        entries.string(name)
        entries.string(value)
      }
    }
  }

  /// A secret of a plain session, which needs no parameters.
  ///
  /// Its content is no text to the provider: KeePassXC and KWallet keep content that is declared as text as Unicode,
  /// and KeePassXC fills in words that look like one of its placeholders.
  mutating func secret(_ secret: Secret, session: String) {
    align(8)
    string(session)
    bytes(Secret(""))
    bytes(secret)
    string("application/octet-stream")
  }

  /// An entry of a dictionary of values, `a{sv}`.
  mutating func property(_ name: String, _ type: String, _ value: (inout WireWriter) -> Void) {
    align(8)
    string(name)
    variant(type, value)
  }
}
