package import AcctModel

/// The DID in a handle's own records (<https://atproto.com/specs/handle>).
package enum HandleRecord {
  /// The name whose TXT records are asked for.
  package static func name(of handle: Handle) -> String { "_atproto.\(handle)" }

  /// Where the handle's own server is asked, if DNS has no record.
  package static func url(of handle: Handle) -> HTTPURL? { try? HTTPURL("https://\(handle)/.well-known/atproto-did") }

  /// Reads TXT records.
  ///
  /// - Parameters:
  ///   - texts: Every TXT record of the name; those that don't begin with `did=` are others'.
  ///   - handle: Whose they are.
  /// - Returns: The DID, or `nil` if no record names one.
  /// - Throws: ``ATProtoError/handleAmbiguous(_:)``, ``ATProtoError/handleMalformed(_:)``.
  package static func did(in texts: [String], of handle: Handle) throws(ATProtoError) -> DID? {
    let values = Set(texts.filter { $0.hasPrefix("did=") }.map { $0.dropFirst(4) })
    guard let value = values.first else { return nil }
    guard values.count == 1 else { throw .handleAmbiguous(handle) }
    do { return try DID(String(value)) } catch { throw .handleMalformed(handle) }
  }

  /// Reads the body of the handle's own server: the DID as text, with white space around it.
  package static func did(inBody body: Secret, of handle: Handle) throws(ATProtoError) -> DID {
    let text = body.withBytes { span in String(decoding: span.indices.prefix(2200).map { span[$0] }, as: UTF8.self) }
    let word = text.split(whereSeparator: \.isWhitespace)
    guard word.count == 1 else { throw .handleMalformed(handle) }
    do { return try DID(String(word[0])) } catch { throw .handleMalformed(handle) }
  }
}
