package import AcctModel

/// One header line; its value is a secret until it is printed or sent.
package struct HeaderField: Equatable, Sendable {
  package var name: String
  package var value: Secret

  package init(_ name: String, _ value: Secret) {
    self.name = name
    self.value = value
  }

  /// A sealed session as the cookie that it came from.
  package static func sessionCookie(_ session: Token) -> HeaderField {
    HeaderField("Cookie", Secret(joining: [Secret("sid="), session.secret]))
  }

  package static func authorization(_ scheme: String, _ token: Token) -> HeaderField {
    HeaderField("Authorization", Secret(joining: [Secret("\(scheme) "), token.secret]))
  }
}
