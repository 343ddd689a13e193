package import AcctModel
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
