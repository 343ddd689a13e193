import AcctModel
import Secrets
import AcctProtocol
import StrictJSON
import Testing

@Suite("Identity documents")
struct IdentityDocumentTests {
  let alice: DID
  let handle: Handle

  init() throws {
    alice = try DID("did:plc:alice")
    handle = try Handle("alice.example.com")
  }

  private func document(_ changes: JSONObject = [:]) -> JSON {
    var document: JSONObject = [
      "id": "did:plc:alice",
      "alsoKnownAs": ["https://alice.example", "at://not a handle", "at://Alice.example.com"],
      "service": [
        ["id": "#other", "type": "Other", "serviceEndpoint": "https://other.example"],
        ["id": "#atproto_pds", "type": "AtprotoPersonalDataServer", "serviceEndpoint": "https://pds.example/"],
      ],
    ]
    for (name, value) in changes { document[name] = value }
    return .object(document)
  }

  private func service(_ endpoint: String, id: String = "#atproto_pds") -> JSONObject {
    ["service": [["id": .string(id), "type": "AtprotoPersonalDataServer", "serviceEndpoint": .string(endpoint)]]]
  }

  @Test("A DID document names the data server and the first valid handle")
  func reads() throws {
    let read = try DIDDocument(document(), of: alice)
    #expect(read.service == (try Origin("https://pds.example")))
    #expect(read.handle == handle)
    let absolute = service("http://127.0.0.1:2583", id: "did:plc:alice#atproto_pds")
    #expect(
      try DIDDocument(document(absolute), of: alice).service == Origin("http://127.0.0.1:2583")
    )
  }

  @Test("A DID document of another DID is rejected")
  func mismatch() {
    #expect(throws: ATProtoError.documentMismatch(alice)) {
      try DIDDocument(document(["id": "did:plc:mallory"]), of: alice)
    }
  }

  @Test("A DID document with a data server on plain http is rejected")
  func plainHTTP() {
    #expect(throws: ATProtoError.serviceRefused(alice)) {
      try DIDDocument(document(service("http://pds.example")), of: alice)
    }
  }

  @Test("A DID document without a data server is rejected", arguments: [[], nil, "x"] as [JSON])
  func noService(services: JSON) {
    #expect(throws: ATProtoError.noService(alice)) { try DIDDocument(document(["service": services]), of: alice) }
  }

  @Test("A DID document is in the directory, or at the host of a did:web")
  func urls() throws {
    let directory = try Origin("https://plc.directory")
    func url(_ did: String) throws -> String { try DIDDocument.url(of: DID(did), directory: directory).description }
    #expect(try url("did:plc:alice") == "https://plc.directory/did:plc:alice")
    #expect(try url("did:web:a.example") == "https://a.example/.well-known/did.json")
    #expect(try url("did:web:localhost%3A8080") == "http://localhost:8080/.well-known/did.json")
    for did in ["did:key:z6Mk", "did:web:a.example:path"] {
      #expect(throws: ATProtoError.unsupportedDID(try DID(did))) { try url(did) }
    }
  }

  @Test("A handle's records name one DID, and several are an error")
  func records() throws {
    #expect(try HandleRecord.did(in: ["v=spf1", "did=did:plc:alice"], of: handle) == alice)
    #expect(
      try HandleRecord.did(in: ["did=did:plc:alice", "did=did:plc:alice"], of: handle) == alice
    )
    #expect(try HandleRecord.did(in: ["v=spf1"], of: handle) == nil)
    #expect(throws: ATProtoError.handleAmbiguous(handle)) {
      try HandleRecord.did(in: ["did=did:plc:alice", "did=did:plc:mallory"], of: handle)
    }
    #expect(throws: ATProtoError.handleMalformed(handle)) { try HandleRecord.did(in: ["did=alice"], of: handle) }
    #expect(try HandleRecord.did(inBody: Secret(" did:plc:alice\n"), of: handle) == alice)
    for body in ["", "<html>", "did:plc:alice did:plc:mallory"] {
      #expect(throws: ATProtoError.handleMalformed(handle)) { try HandleRecord.did(inBody: Secret(body), of: handle) }
    }
  }

  @Test("A data server names one authorization server, for itself alone")
  func protectedResource() throws {
    let origin = try Origin("https://pds.example")
    func issuer(_ resource: String, _ servers: JSON) throws -> String {
      let json: JSON = ["resource": .string(resource), "authorization_servers": servers]
      return try ProtectedResource.issuer(in: json, of: origin).description
    }
    #expect(try issuer("https://pds.example", ["https://auth.example"]) == "https://auth.example")
    #expect(throws: ATProtoError.protectedResource(origin, .foreign)) {
      try issuer("https://other.example", ["https://auth.example"])
    }
    let malformed: [JSON] = [
      [], ["https://a.example", "https://b.example"], ["https://a.example/path"],
      ["http://a.example"], "https://a.example", nil,
    ]
    for servers in malformed {
      #expect(throws: ATProtoError.protectedResource(origin, .malformed)) { try issuer("https://pds.example", servers) }
    }
  }

  @Test("The loopback client declares its redirect without a port")
  func clientID() {
    #expect(
      ATProtoClient.loopbackID(scope: "atproto transition:generic")
        == "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto%20transition%3Ageneric"
    )
  }
}
