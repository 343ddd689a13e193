import Release
import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol

/// A made-up credential that a program may have.
func credential(
  for url: String? = nil,
  _ form: CredentialForm = .scheme("Bearer"),
  _ fields: [HeaderField] = [HeaderField("Authorization", Secret("Bearer t0k"))],
  token: String = "t0k",
  until end: String? = "2027-01-15T09:00:00Z"
) throws -> HelperCredential {
  HelperCredential(
    try url.map { text in try HTTPURL(text) },
    fields: fields,
    token: Secret(token),
    form: form,
    expiresAt: try end.map { text in try Timestamp(text) },
    now: try Timestamp("2027-01-15T08:00:00Z")
  )
}

/// The lines of a token that is bound to a key.
let boundFields = [HeaderField("Authorization", Secret("DPoP t0k")), HeaderField("DPoP", Secret("e.y.J"))]

/// What a secret hides, for tests that compare it.
func text(of secret: Secret) -> String {
  secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}

/// What goes to standard output.
func output(of answer: HelperAnswer) -> String { text(of: answer.output) }
