import StrictJSON

extension ATProtoHostileTests.Variant {
  static let all = callbacks + identities + tokens + metadata + documents + resolvers

  private static let callbacks: [Self] = [
    Self(testDescription: "wrong iss", mood: "wrong-iss", code: "callbackIssuer"),
    Self(testDescription: "missing iss", mood: "missing-iss", code: "callbackIssuerMissing"),
    Self(testDescription: "the user says no", mood: "deny", code: "authorizationRefused", status: 4),
  ]

  private static let mallory: JSON = "did:plc:mallorytestaccountaaaaaa"

  private static let identities: [Self] = [
    Self(
      testDescription: "a handle that the document does not name",
      settings: ["accounts": ["alice.test": ["also_known_as": ["at://other.test"]]]],
      code: "handleNotConfirmed"
    ),
    Self(
      testDescription: "a document of another DID",
      settings: ["accounts": ["alice.test": ["document": ["id": mallory]]]],
      code: "documentMismatch"
    ),
    Self(
      testDescription: "a did:web document of another DID",
      settings: ["accounts": ["bob.test": ["document": ["id": mallory]]]],
      whom: "bob.test",
      code: "documentMismatch"
    ),
    Self(
      testDescription: "a document without a data server",
      settings: ["accounts": ["alice.test": ["document": ["service": []]]]],
      code: "noService"
    ),
    Self(
      testDescription: "a data server on plain http",
      settings: ["accounts": ["alice.test": ["pds": "http://pds.example"]]],
      code: "urlRefused",
      status: 8
    ),
    Self(
      testDescription: "a DID that is no more",
      settings: ["accounts": ["alice.test": ["status": 410]]],
      code: "didNotFound",
      status: 1
    ),
  ]

  private static let tokens: [Self] = [
    Self(
      testDescription: "sub of another DID",
      settings: ["token_override": ["sub": mallory]],
      code: "subjectMismatch",
      status: 8
    ),
    Self(testDescription: "no sub", settings: ["token_override": ["sub": nil]], code: "subjectMismatch"),
    Self(
      testDescription: "from a data server, sub of a DID that signs in elsewhere",
      settings: ["token_override": ["sub": "did:plc:caroltestaccountaaaaaaaa"]],
      whom: "pds",
      code: "issuerMismatch"
    ),
    Self(
      testDescription: "from an entryway, sub of a DID that signs in elsewhere",
      settings: ["token_override": ["sub": "did:plc:caroltestaccountaaaaaaaa"]],
      whom: "issuer",
      code: "issuerMismatch"
    ),
    Self(
      testDescription: "token_type Bearer",
      settings: ["token_override": ["token_type": "Bearer"]],
      code: "tokenType"
    ),
    Self(
      testDescription: "scope without atproto",
      settings: ["token_override": ["scope": "transition:generic"]],
      code: "scopeMissing"
    ),
    Self(testDescription: "no scope", settings: ["token_override": ["scope": nil]], code: "scopeMissing"),
  ]

  private static let metadata: [Self] = [
    Self(
      testDescription: "an issuer that is another",
      settings: ["metadata_override": ["issuer": "https://other.example"]],
      code: "metadataIssuer"
    ),
    Self(
      testDescription: "a token endpoint on plain http",
      settings: ["metadata_override": ["token_endpoint": "http://as.example/token"]],
      code: "endpointRefused"
    ),
    Self(
      testDescription: "no pushed requests",
      settings: ["metadata_override": ["pushed_authorization_request_endpoint": nil]],
      code: "serverLacks"
    ),
    Self(
      testDescription: "a resource that is another",
      settings: ["resource_override": ["resource": "https://other.example"]],
      code: "resourceMetadataForeign"
    ),
    Self(
      testDescription: "two authorization servers",
      settings: ["resource_override": ["authorization_servers": ["https://a.test", "https://b.test"]]],
      code: "resourceMetadataMalformed"
    ),
    Self(
      testDescription: "an authorization server on plain http",
      settings: ["resource_override": ["authorization_servers": ["http://as.example"]]],
      code: "resourceMetadataMalformed"
    ),
  ]

  /// Every document redirected to a true copy of it, replaced by a page, and called one.
  private static let documents: [Self] = [
    ("metadata", "noMetadata", "metadataNotJSON"),
    ("resource_metadata", "noResourceMetadata", "resourceMetadataNotJSON"),
    ("plc", "didNotFound", "documentMalformed"), ("did", "didNotFound", "documentMalformed"),
  ].flatMap { endpoint, redirected, page in
    let whom = endpoint == "did" ? "bob.test" : "alice.test"
    return [
      Self(
        testDescription: "\(endpoint) redirects",
        fault: ["endpoint": .string(endpoint), "kind": "redirect", "count": nil],
        whom: whom,
        code: redirected,
        status: redirected == "didNotFound" ? 1 : 11
      )
    ]
      + ["html", "mislabelled"].map { kind in
        Self(
          testDescription: "\(endpoint) is a page: \(kind)",
          fault: ["endpoint": .string(endpoint), "kind": .string(kind), "count": nil],
          whom: whom,
          code: page
        )
      }
  }

  private static let resolvers: [Self] = [
    ("two", "handleAmbiguous", 11), ("another", "handleNotConfirmed", 11),
    ("not_did", "handleMalformed", 11), ("servfail", "network", 10), ("refused", "network", 10),
  ].map { answer, code, status in
    Self(
      testDescription: "a resolver's answer of the kind \(answer)",
      settings: ["dns": ["alice.test": .string(answer)]],
      code: code,
      status: status
    )
  }
}
