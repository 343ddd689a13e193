import StrictJSON
import Testing

/// A backend's faulty answers, and the errors for them.
struct BackendFault: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let settings: JSON
  var arguments = ["alice.test"]
  let code: String
  var status: Int32 = 11
}

extension BackendFault {
  static let all = answers + calls

  private static let mallory: JSON = "did:plc:mallorytestaccountaaaaaa"

  private static let answers: [Self] = [
    Self(
      testDescription: "another person's tokens",
      settings: ["signs_in": "mallory.test"],
      code: "otherPerson",
      status: 8
    ),
    Self(
      testDescription: "a DID that is not the token's",
      settings: ["tokens": ["did": mallory]],
      arguments: [],
      code: "otherPerson"
    ),
    Self(
      testDescription: "another DID than was asked for",
      settings: ["signs_in": "mallory.test"],
      arguments: ["did:plc:alicetestaccountaaaaaaaa"],
      code: "otherPerson",
      status: 8
    ),
    Self(testDescription: "no handle where one was asked for", settings: ["without": ["handle"]], code: "otherPerson"),
    Self(testDescription: "no DID", settings: ["without": ["did"]], code: "badHandoff"),
    Self(
      testDescription: "a handle that is none",
      settings: ["tokens": ["handle": "not a handle"]],
      arguments: [],
      code: "badHandoff"
    ),
    Self(testDescription: "no access token", settings: ["without": ["accessToken"]], code: "badHandoff"),
    Self(
      testDescription: "an access token with a line break",
      settings: ["tokens": ["accessToken": "a\nb"]],
      code: "badHandoff"
    ),
    Self(testDescription: "no key for a bound token", settings: ["key": "missing"], code: "keyMissing"),
    Self(testDescription: "a null key for a bound token", settings: ["key": "null"], code: "keyMissing"),
    Self(testDescription: "another key than the token's", settings: ["key": "another"], code: "keyBinding"),
    Self(
      testDescription: "a broken key",
      settings: ["tokens": ["dpopKey": ["jwk": ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "d": "AA"]]]],
      code: "badKey"
    ),
    Self(
      testDescription: "a data server on plain http",
      settings: ["tokens": ["pds": "http://pds.example"]],
      code: "urlRefused",
      status: 8
    ),
    Self(testDescription: "a sign-in at no address", settings: ["start": ["authUrl": "nowhere"]], code: "badAnswer"),
    Self(testDescription: "no sign-in address", settings: ["start": ["authUrl": .null]], code: "badAnswer"),
  ]

  private static let calls: [Self] = [
    Self(
      testDescription: "a start that is refused",
      settings: ["faults": ["start": ["status": 400, "body": "{\"error\":\"Invalid handle\"}"]]],
      code: "backendRefused",
      status: 4
    ),
    Self(testDescription: "a start that fails", settings: ["faults": ["start": ["status": 502]]], code: "serverFailed"),
    Self(
      testDescription: "a start that is limited",
      settings: ["faults": ["start": ["status": 429]]],
      code: "rateLimited",
      status: 9
    ),
    Self(
      testDescription: "a start that is cut off",
      settings: ["faults": ["start": ["breakage": "reset"]]],
      code: "network",
      status: 10
    ),
    Self(
      testDescription: "a start that is a page",
      settings: ["faults": ["start": ["type": "text/html", "body": "<html>"]]],
      code: "serverAnswer"
    ),
    Self(
      testDescription: "a start that leads elsewhere",
      settings: ["faults": ["start": ["status": 307, "headers": ["Location": "/elsewhere"]]]],
      code: "serverAnswer"
    ),
    Self(
      testDescription: "tokens that are refused",
      settings: ["faults": ["tokens": ["status": 400, "body": "{\"error\":\"used\"}"]]],
      code: "backendRefused",
      status: 4
    ),
    Self(testDescription: "tokens that fail", settings: ["faults": ["tokens": ["status": 500]]], code: "serverFailed"),
    Self(
      testDescription: "tokens that are limited",
      settings: ["faults": ["tokens": ["status": 429]]],
      code: "rateLimited",
      status: 9
    ),
    Self(
      testDescription: "tokens that lead elsewhere",
      settings: ["faults": ["tokens": ["status": 307, "headers": ["Location": "/elsewhere"]]]],
      code: "serverAnswer"
    ),
    Self(
      testDescription: "tokens that are cut off",
      settings: ["faults": ["tokens": ["breakage": "close"]]],
      code: "network",
      status: 10
    ),
    Self(
      testDescription: "tokens that are no JSON",
      settings: ["faults": ["tokens": ["body": "{"]]],
      code: "serverAnswer"
    ),
    Self(
      testDescription: "a member that is present twice",
      settings: ["faults": ["tokens": ["body": "{\"did\":1,\"did\":1}"]]],
      code: "badHandoff"
    ),
    Self(
      testDescription: "tokens that are a list",
      settings: ["faults": ["tokens": ["body": "[]"]]],
      code: "serverAnswer"
    ),
  ]
}
