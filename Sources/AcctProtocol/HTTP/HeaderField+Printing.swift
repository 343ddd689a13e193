package import AcctModel
package import Secrets
import Release

/// Header lines in the forms in which other programs read them.
extension [HeaderField] {
  /// Each on a line, as HTTP has them.
  ///
  /// - Throws: ``OutputFlaw``.
  package func lines() throws(OutputFlaw) -> Secret {
    var parts: [Secret] = []
    for field in self { parts += [try field.line(), Secret("\n")] }
    return Secret(joining: parts)
  }

  /// A config of curl that sends them.
  ///
  /// - Throws: ``OutputFlaw``.
  package func curlConfig() throws(OutputFlaw) -> Secret {
    var parts: [Secret] = []
    for field in self { parts += [Secret("header = "), try OutputFormat.curl.written(field.line()), Secret("\n")] }
    return Secret(joining: parts)
  }

  /// A JSON object with a member for each.
  ///
  /// - Throws: ``OutputFlaw``.
  package func jsonMap() throws(OutputFlaw) -> Secret { try jsonObject { $0 } }

  /// A JSON object with a member for each.
  ///
  /// - Parameter value: Makes a member's value of a field's, which is a JSON string.
  /// - Returns: The object, without a line's end.
  /// - Throws: ``OutputFlaw``.
  package func jsonObject(_ value: (Secret) -> Secret) throws(OutputFlaw) -> Secret {
    var parts = [Secret("{")]
    for field in self {
      if parts.count > 1 { parts.append(Secret(",")) }
      // A value that is no line would be one in the request of the program that reads it.
      let text = try OutputFormat.fieldValue.written(field.value)
      parts += [
        Secret(try OutputFormat.json.written(OutputFormat.fieldName.written(field.name))), Secret(":"),
        value(try OutputFormat.json.written(text)),
      ]
    }
    return Secret(joining: parts + [Secret("}")])
  }
}

extension Released {
  /// A config of curl that sends the credential.
  ///
  /// - Parameter header: The form in which a static token is sent.
  /// - Returns: Its lines.
  /// - Throws: ``OutputFlaw``.
  package func curlConfig(as header: StaticHeader?) throws(OutputFlaw) -> Secret {
    guard openedQuery != nil, let header else { return try openedFields.curlConfig() }
    // curl encodes what is behind the first `=`, from 7.87 on.
    let pair = Secret(joining: [Secret("\(header.field)="), openedToken])
    return Secret(joining: [Secret("url-query = "), try OutputFormat.curl.written(pair), Secret("\n")])
  }
}

extension HeaderField {
  /// The line without its end.
  ///
  /// - Throws: ``OutputFlaw``.
  package func line() throws(OutputFlaw) -> Secret {
    Secret(joining: [
      Secret(try OutputFormat.fieldName.written(name)), Secret(": "), try OutputFormat.fieldValue.written(value),
    ])
  }
}

extension ClientCertificate.Files {
  /// The lines of a config of curl that has it present the certificate.
  ///
  /// - Throws: ``OutputFlaw``.
  package func curlConfig() throws(OutputFlaw) -> Secret {
    let (certificate, key) = (
      try OutputFormat.curlCertificate.written(certificate), try OutputFormat.curl.written(key)
    )
    return Secret("cert = \(certificate)\nkey = \(key)\n")
  }
}
