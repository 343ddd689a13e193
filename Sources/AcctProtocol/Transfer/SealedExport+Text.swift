import AcctModel
import AcctCrypto
package import StrictJSON

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
