package import AcctModel
package import Secrets

/// Reads documents in XML 1.0.
///
/// Every reader promises: a document with a declaration of its type is refused, so that there are no entities but the
/// five of XML; nothing is fetched; a document is at most ``limit`` bytes, ``elements`` texts and ``depth`` elements
/// in each other.
package struct XMLReader: Sendable {
  /// The texts of the innermost elements, in the order of the document.
  package var texts: @Sendable (Secret) throws(XMLFailure) -> [XMLText]

  /// The greatest size of a document, in bytes.
  package static let limit = 1 << 16
  /// The greatest number of texts.
  package static let elements = 256
  /// The greatest number of elements in each other.
  package static let depth = 16

  package init(texts: @escaping @Sendable (Secret) throws(XMLFailure) -> [XMLText]) { self.texts = texts }

  /// There is no reader.
  package static let none = XMLReader { _ throws(XMLFailure) in throw .unavailable(reason: "there is no XML reader") }
}

/// Why a document can't be read.
package enum XMLFailure: Error, Equatable, Sendable {
  /// The library can't be used, for the reason in words.
  case unavailable(reason: String)
  /// Not XML, with a declaration of its type, or beyond a limit.
  case malformed
}
