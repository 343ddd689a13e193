package import AcctModel
package import Secrets
package import StrictJSON

/// The parts of a DID document that acct uses (<https://www.w3.org/TR/did-core/>,
/// <https://atproto.com/specs/did>).
package struct DIDDocument: Equatable, Sendable {
  package let did: DID
  /// The personal data server.
  package let service: Origin
  /// The handle that it claims; it counts only if that handle points back.
  package let handle: Handle?
  /// The source of these.
  package let naming: Naming

  /// The address of a DID's document.
  ///
  /// - Parameters:
  ///   - did: `did:plc` or `did:web`.
  ///   - directory: The PLC directory.
  /// - Returns: The address.
  /// - Throws: ``ATProtoError/unsupportedDID(_:)``.
  package static func url(of did: DID, directory: Origin) throws(ATProtoError) -> HTTPURL {
    let text: String?
    switch did.method {
    case "plc": text = "\(directory)/\(did)"
    case "web": text = did.webOrigin.map { "\($0)/.well-known/did.json" }
    default: text = nil
    }
    guard let text, let url = try? HTTPURL(text) else { throw .unsupportedDID(did) }
    return url
  }

  /// Reads a document that was fetched for `did`.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - did: The DID that the document must be of.
  ///   - naming: The source of the addresses in it.
  /// - Throws: ``ATProtoError``.
  package init(_ json: JSON, of did: DID, named naming: Naming = .remote) throws(ATProtoError) {
    guard let document = json.objectValue else { throw .documentMalformed(did) }
    guard document["id"]?.stringValue == did.description else { throw .documentMismatch(did) }
    self.did = did
    self.naming = naming

    let entry = document["service"]?.arrayValue?.lazy.compactMap(\.objectValue).first { service in
      let id = service["id"]?.stringValue
      return (id == "#atproto_pds" || id == "\(did)#atproto_pds")
        && service["type"]?.stringValue == "AtprotoPersonalDataServer"
    }
    guard let endpoint = entry?["serviceEndpoint"]?.stringValue else { throw .noService(did) }
    do { service = try Origin(endpoint) } catch .refusedURL { throw .serviceRefused(did) } catch {
      throw .documentMalformed(did)
    }
    handle =
      document["alsoKnownAs"]?.arrayValue?.lazy.compactMap(\.stringValue)
      .filter { $0.hasPrefix("at://") }
      .compactMap { try? Handle(String($0.dropFirst(5))) }.first
  }
}

/// The TXT records of an answer from the Domain Name System (RFC 1035, section 4).
///
/// Reads untrusted bytes: every length is checked, and a name is skipped, never followed, so that
/// compression pointers can't lead in a circle.
package enum DNSAnswer: Equatable, Sendable {
  /// The texts of the records, each joined from its strings (section 3.3.14).
  case texts([String])
  /// The name, or a TXT record of it, does not exist.
  case none
  /// The server refused or failed, with its RCODE.
  case failed(code: UInt8)
  /// The bytes are not an answer.
  case malformed

  /// Reads an answer.
  ///
  /// - Parameter message: The whole message as it came from the resolver.
  package init(_ message: [UInt8]) {
    var reader = MessageReader(message)
    guard let header = reader.header(), header.isResponse else {
      self = .malformed
      return
    }
    switch header.code {
    case 0: break
    case 3:
      self = .none
      return
    default:
      self = .failed(code: header.code)
      return
    }
    for _ in 0..<header.questions {
      guard reader.skipName(), reader.skip(4) else {
        self = .malformed
        return
      }
    }
    var texts: [String] = []
    for _ in 0..<header.answers {
      guard reader.skipName(), let type = reader.number(), let kind = reader.number(),
        reader.skip(4), let length = reader.number(), let data = reader.bytes(length)
      else {
        self = .malformed
        return
      }
      // Others, such as the CNAMEs on the way, are the resolver's business.
      guard type == 16, kind == 1 else { continue }
      guard let text = Self.text(data) else {
        self = .malformed
        return
      }
      texts.append(text)
    }
    self = texts.isEmpty ? .none : .texts(texts)
  }

  private static func text(_ data: ArraySlice<UInt8>) -> String? {
    var rest = data
    var text: [UInt8] = []
    while let length = rest.popFirst() {
      guard rest.count >= Int(length) else { return nil }
      text += rest.prefix(Int(length))
      rest = rest.dropFirst(Int(length))
    }
    return String(validating: text, as: UTF8.self)
  }
}

private struct MessageReader {
  private let message: [UInt8]
  private var position = 0

  init(_ message: [UInt8]) { self.message = message }

  struct Header {
    var isResponse: Bool
    var code: UInt8
    var questions: Int
    var answers: Int
  }

  mutating func header() -> Header? {
    guard skip(2), let flags = number(), let questions = number(), let answers = number(), skip(4) else { return nil }
    return Header(isResponse: flags & 0x8000 != 0, code: UInt8(flags & 15), questions: questions, answers: answers)
  }

  mutating func number() -> Int? {
    guard message.count - position >= 2 else { return nil }
    defer { position += 2 }
    return Int(message[position]) << 8 | Int(message[position + 1])
  }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard message.count - position >= count else { return nil }
    defer { position += count }
    return message[position..<position + count]
  }

  mutating func skip(_ count: Int) -> Bool { bytes(count) != nil }

  /// Labels up to the empty one, or up to a pointer, which ends a name (section 4.1.4).
  mutating func skipName() -> Bool {
    while let length = bytes(1)?.first {
      if length == 0 { return true }
      if length & 0xC0 == 0xC0 { return skip(1) }
      guard length & 0xC0 == 0, skip(Int(length)) else { return false }
    }
    return false
  }
}

/// The DID in a handle's own records (<https://atproto.com/specs/handle>).
package enum HandleRecord {
  /// The name whose TXT records are asked for.
  package static func name(of handle: Handle) -> String { "_atproto.\(handle)" }

  /// The address at the handle's own server, which is requested if DNS has no record.
  package static func url(of handle: Handle) -> HTTPURL? { try? HTTPURL("https://\(handle)/.well-known/atproto-did") }

  /// Reads TXT records.
  ///
  /// - Parameters:
  ///   - texts: Every TXT record of the name; those that don't begin with `did=` are others'.
  ///   - handle: The handle that the records are of.
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
