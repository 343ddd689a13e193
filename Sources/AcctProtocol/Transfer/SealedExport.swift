package import AcctCrypto
import AcctModel
package import Secrets
package import StrictJSON

/// A file of accounts under a passphrase: scrypt (RFC 7914) and AES-256-GCM, as JSON that survives
/// being mailed or pasted.
///
/// `Documentation/export-format.md` describes it for readers without acct.
package struct SealedExport: Equatable, Sendable {
  /// The cost of one guess at the passphrase.
  package let kdf: KDFParameters
  package let salt: [UInt8]
  package let nonce: [UInt8]
  /// The ciphertext and its tag.
  package let sealed: [UInt8]

  static let format = "acct-export"
  static let version: Int64 = 1
  static let cipher = "AES-256-GCM"
  static let saltCount = 16

  /// Puts the parts of a file together; only its passphrase tells whether they belong together.
  package init(kdf: KDFParameters, salt: [UInt8], nonce: [UInt8], sealed: [UInt8]) {
    self.kdf = kdf
    self.salt = salt
    self.nonce = nonce
    self.sealed = sealed
  }

  /// The header, in the one spelling that is authenticated with the contents.
  var header: JSON {
    [
      "format": .string(Self.format),
      "version": .number(JSONNumber(Self.version)),
      "kdf": "scrypt",
      "n": .number(JSONNumber(Int64(kdf.n))),
      "r": .number(JSONNumber(Int64(kdf.r))),
      "p": .number(JSONNumber(Int64(kdf.p))),
      "salt": .string(Base64URL.encode(salt.span)),
      "cipher": .string(Self.cipher),
      "nonce": .string(Base64URL.encode(nonce.span)),
    ]
  }

  /// The bytes that AES-GCM authenticates beside the contents, so that salt, nonce and cost can't be exchanged.
  var associatedData: [UInt8] { header.serialized() }

  /// Distinguishes a file that was damaged on its way from a wrong passphrase, which AES-GCM
  /// cannot; it keeps no attacker out and need not.
  var checksum: String {
    let text = associatedData + sealed
    return Base64URL.encode(SHA256.hash(text.span).span)
  }
}

/// Why an export can't be read.
package enum SealedExportError: Error, Equatable, Sendable {
  /// It is not an export as acct writes one; it names the member at fault, and nothing of its value.
  case malformed(member: String)
  /// A later version of acct wrote it, or an account in it.
  case unknownVersion
  /// The scrypt parameters are none, or would exhaust the machine.
  case unsuitableCost
  /// It was changed on its way.
  case damaged
  /// The passphrase is wrong, or the file and its checksum were modified.
  case notOpened
  /// OpenSSL failed, as it does when memory runs out.
  case libraryFailed
}

extension SealedExport {
  /// The number of random bytes that ``init(sealing:under:kdf:random:)`` takes.
  package static let randomCount = saltCount + AESGCM.nonceCount

  /// Seals contents under a passphrase.
  ///
  /// - Parameters:
  ///   - contents: The contents of the export.
  ///   - passphrase: The passphrase, in bytes as it was given.
  ///   - kdf: The cost of one guess at the passphrase.
  ///   - random: ``randomCount`` unpredictable bytes, used for nothing else.
  /// - Throws: ``SealedExportError/libraryFailed``.
  package init(
    sealing contents: Secret,
    under passphrase: Secret,
    kdf: KDFParameters = .travelling,
    random: [UInt8]
  ) throws(SealedExportError) {
    let bare = SealedExport(
      kdf: kdf,
      salt: Array(random.prefix(Self.saltCount)),
      nonce: Array(random.dropFirst(Self.saltCount)),
      sealed: []
    )
    let sealed: [UInt8]
    do {
      sealed = try AESGCM.seal(
        contents,
        key: bare.key(passphrase),
        nonce: bare.nonce,
        associatedData: bare.associatedData
      )
    } catch {
      throw .libraryFailed
    }
    self.init(kdf: kdf, salt: bare.salt, nonce: bare.nonce, sealed: sealed)
  }

  /// Opens the contents.
  ///
  /// - Parameter passphrase: The passphrase.
  /// - Returns: The contents.
  /// - Throws: ``SealedExportError/notOpened``, ``SealedExportError/libraryFailed``.
  package func opened(with passphrase: Secret) throws(SealedExportError) -> Secret {
    do {
      return try AESGCM.open(sealed, key: key(passphrase), nonce: nonce, associatedData: associatedData)
    } catch {
      throw error == .authenticationFailed ? .notOpened : .libraryFailed
    }
  }

  private func key(_ passphrase: Secret) throws(CryptoError) -> Secret {
    try Scrypt.deriveKey(passphrase: passphrase, salt: salt, parameters: kdf)
  }
}

extension SealedExport {
  /// The number of characters on a line: mail programs break or cut longer ones.
  private static let lineLength = 76

  /// The file's contents: JSON, its header on the first line.
  package func serialized() -> [UInt8] {
    let text = Array(Base64URL.encodedBytes(sealed.span))
    let lines = stride(from: 0, to: text.count, by: Self.lineLength).map { start in
      "\"\(String(decoding: text[start..<min(start + Self.lineLength, text.count)], as: UTF8.self))\""
    }
    let header = String(decoding: header.serialized(), as: UTF8.self)
    return Array(
      """
      {"header":\(header),
      "sealed":[
      \(lines.joined(separator: ",\n"))
      ],
      "checksum":"\(checksum)"}

      """.utf8
    )
  }

  /// The same, as it is written.
  package var file: Secret { Secret(serialized()) }

  /// `true` for JSON that is meant to be an export, well-formed or not.
  package static func isExport(_ json: JSON) -> Bool {
    guard let file = json.objectValue else { return false }
    return file["sealed"] != nil || file["header"] != nil
  }

  /// Reads the file's contents, strictly: no member more or less, and none in another order.
  package init(_ json: JSON) throws(SealedExportError) {
    guard let file = json.objectValue, let header = file["header"]?.objectValue else {
      throw .malformed(member: "header")
    }
    guard header["format"]?.stringValue == Self.format else { throw .malformed(member: "format") }
    guard let version = header["version"]?.numberValue?.integer else { throw .malformed(member: "version") }
    guard version == Self.version else { throw .unknownVersion }
    guard header["kdf"]?.stringValue == "scrypt" else { throw .malformed(member: "kdf") }
    guard header["cipher"]?.stringValue == Self.cipher else { throw .malformed(member: "cipher") }
    guard let n = header.cost("n"), let r = header.cost("r"), let p = header.cost("p"),
      let kdf = KDFParameters(n: n, r: r, p: p)
    else { throw .unsuitableCost }
    self.init(
      kdf: kdf,
      salt: try header.bytes("salt", count: Self.saltCount),
      nonce: try header.bytes("nonce", count: AESGCM.nonceCount),
      sealed: try file.sealedBytes()
    )
    // The spelling of the header is part of the associated data; nothing else is at fault here.
    guard JSON.object(header).serialized() == associatedData else { throw .malformed(member: "header") }
    guard file.names == ["header", "sealed", "checksum"], file["checksum"]?.stringValue == checksum
    else { throw .damaged }
  }
}

extension JSONObject {
  fileprivate func cost(_ name: String) -> UInt64? { self[name]?.numberValue?.integer.flatMap(UInt64.init(exactly:)) }

  fileprivate func bytes(_ name: String, count: Int) throws(SealedExportError) -> [UInt8] {
    guard let text = self[name]?.stringValue, let bytes = try? Base64URL.decode(text), bytes.count == count
    else { throw .malformed(member: name) }
    return bytes
  }

  fileprivate func sealedBytes() throws(SealedExportError) -> [UInt8] {
    guard let lines = self["sealed"]?.arrayValue else { throw .malformed(member: "sealed") }
    var text = ""
    for line in lines {
      guard let line = line.stringValue else { throw .malformed(member: "sealed") }
      text += line
    }
    guard let bytes = try? Base64URL.decode(text), bytes.count >= AESGCM.tagCount else {
      throw .malformed(member: "sealed")
    }
    return bytes
  }
}
