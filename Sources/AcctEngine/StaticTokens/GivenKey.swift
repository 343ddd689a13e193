import AcctModel
package import AcctProtocol
package import Secrets
import Text

/// A text that was given as the key of a provider: what people copy is not always the key alone, or the key of that
/// provider.
package struct GivenKey: Sendable {
  /// The text without the white space around it.
  package let text: Secret

  /// - Parameter text: As it was typed, or as its file has it.
  package init(_ text: Secret) {
    self.text = text.withBytes { bytes in
      var (start, end) = (0, bytes.count)
      while start < end, bytes[start].isBlank { start += 1 }
      while start < end, bytes[end - 1].isBlank { end -= 1 }
      return Secret(bytes.extracting(start..<end))
    }
  }

  /// Reads the text as a variable with its value, as a line of a `.env` file has it.
  ///
  /// A key may contain `=`, above all at its end. So it is a variable only if its name has capitals alone, or is one of
  /// the provider's, and if a value follows.
  ///
  /// - Parameter variables: The variables in which the provider's programs look for a key.
  /// - Returns: The variable; `nil` for any other text.
  package func assignment(knowing variables: [String]) -> EnvFile.Entry? {
    guard let entries = try? EnvFile(parsing: text).entries, entries.count == 1, let entry = entries.first,
      variables.contains(entry.variable)
        || entry.variable.isVariableName && entry.variable == entry.variable.uppercased(),
      entry.value.withBytes({ bytes in bytes.indices.contains { bytes[$0] != UInt8(ascii: "=") } })
    else { return nil }
    return entry
  }

  /// The provider whose keys begin as the text does: of several, the one with the longest prefix.
  ///
  /// - Parameter providers: Providers with keys; of two with one prefix, the first counts.
  /// - Returns: The provider; `nil` if none says how its keys begin, or they begin otherwise.
  package func owner(among providers: [Provider]) -> Provider? {
    var found: (provider: Provider, length: Int)?
    for provider in providers {
      for prefix in provider.key?.prefixes ?? []
      where prefix.utf8.count > found?.length ?? 0 && text.begins(with: prefix) {
        found = (provider, prefix.utf8.count)
      }
    }
    return found?.provider
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension Secret {
  fileprivate func begins(with prefix: String) -> Bool {
    withBytes { bytes in
      bytes.count >= prefix.utf8.count && zip(bytes.indices, prefix.utf8).allSatisfy { bytes[$0] == $1 }
    }
  }
}
