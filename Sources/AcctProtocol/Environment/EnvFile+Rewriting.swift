package import Secrets

/// Changing values of a `.env` file, and changing them back.
extension EnvFile {
  /// The file with other values: each is written between the quotation marks that are there, and every other byte stays.
  ///
  /// - Parameters:
  ///   - values: New bytes for places in it, in the order of the file.
  ///   - contents: The file that was read.
  /// - Returns: The file.
  package static func replacing(_ values: [(place: Range<Int>, bytes: Secret)], in contents: Secret) -> Secret {
    contents.withBytes { bytes in
      var parts: [Secret] = []
      var next = 0
      for (place, value) in values {
        parts += [bytes.secret(next..<place.lowerBound), value]
        next = place.upperBound
      }
      return Secret(joining: parts + [bytes.secret(next..<bytes.count)])
    }
  }

  /// The byte that a backslash before another one stands for; `nil` where it stands for itself.
  static func escaped(_ byte: UInt8, in quote: Unicode.Scalar) -> UInt8? {
    guard byte != UInt8(ascii: quote) else { return byte }
    guard quote == "\"" else { return nil }
    return switch byte {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "\\"), UInt8(ascii: "$"), UInt8(ascii: "`"): byte
    default: nil
    }
  }

  /// A value as it is written between its quotation marks.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - characters: Those that get a backslash.
  /// - Returns: The bytes for a place in a file.
  package static func written(_ value: Secret, escaping characters: String) -> Secret {
    value.withBytes { bytes in
      var written: [UInt8] = []
      // Of its full size from the beginning: a buffer that grows leaves copies behind.
      written.reserveCapacity(2 * bytes.count)
      for index in bytes.indices {
        guard characters.utf8.contains(bytes[index]) else {
          written.append(bytes[index])
          continue
        }
        let letter: UInt8 =
          switch bytes[index] {
          case 0x0A: UInt8(ascii: "n")
          case 0x0D: UInt8(ascii: "r")
          case 0x09: UInt8(ascii: "t")
          case let byte: byte
          }
        written += [UInt8(ascii: "\\"), letter]
      }
      return Secret(consuming: &written)
    }
  }
}

extension EnvFile.Entry {
  /// The characters of the value that have a backslash in the file, by which ``EnvFile/written(_:escaping:)`` makes the
  /// bytes of the file again.
  ///
  /// - Parameter contents: The file that was read.
  /// - Returns: The characters; `nil` if the value is written in several ways in one.
  package func escapes(in contents: Secret) -> String? {
    contents.withBytes { bytes in
      var characters = ""
      var index = place.lowerBound
      while let quote, index + 1 < place.upperBound {
        if bytes[index] == UInt8(ascii: "\\"), let escaped = EnvFile.escaped(bytes[index + 1], in: quote) {
          if !characters.utf8.contains(escaped) { characters.unicodeScalars.append(Unicode.Scalar(escaped)) }
          index += 2
        } else {
          index += 1
        }
      }
      return EnvFile.written(value, escaping: characters) == bytes.secret(place) ? characters : nil
    }
  }
}
