import AcctModel
package import Secrets
package import StrictJSON

/// The JSON of a file that has tokens: the file itself, or a part of it.
package enum TokenDocument {
  /// Reads a file: JSON, JSON within a text of JSON, or the settings of rclone with one token.
  ///
  /// - Throws: ``HandoffError/json(_:)``, ``HandoffError/foreign(_:)``.
  package static func json(in contents: Secret, atMost limit: Int) throws(HandoffError) -> JSON {
    let json: JSON
    do {
      json = try contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes, maximumBytes: limit) }
    } catch {
      if let document = ForeignDocument(contents) { throw .foreign(document) }
      let tokens = rcloneTokens(in: contents)
      guard let token = tokens.first else { throw .json(error) }
      guard tokens.count == 1 else { throw .foreign(.severalTokens) }
      return token
    }
    let inner = json.objectValue?["token"] ?? json
    if inner.objectValue?["access_token"] != nil { return inner }
    return inner.stringValue.flatMap { Secret($0).jsonObject } ?? json
  }

  /// The values of `token` in the settings of rclone, an INI file: JSON in one line.
  private static func rcloneTokens(in contents: Secret) -> [JSON] {
    contents.withBytes { bytes in
      bytes.lineRanges.compactMap { line in
        let text = bytes.trimmed(line)
        guard bytes.starts(text, with: "token"), let equals = bytes.first("=", in: text),
          bytes.trimmed(text.lowerBound..<equals).count == 5
        else { return nil }
        return bytes.secret(bytes.trimmed(equals + 1..<text.upperBound)).jsonObject
      }
    }
  }
}

extension Secret {
  /// The object in JSON that it is; `nil` for anything else.
  fileprivate var jsonObject: JSON? {
    let json = withBytes { bytes in try? JSON(parsing: bytes) }
    return json?.objectValue == nil ? nil : json
  }
}

/// A file that is often taken for one with an account's tokens.
package enum ForeignDocument: Equatable, Sendable {
  case certificate, privateKey, otherPEM
  case key, keySet
  case serviceAccount
  /// gcloud's own login, which has a refresh token alone.
  case authorizedUser
  /// A JWT, or a token of a known server, and nothing else.
  case token
  /// rclone's settings for several remotes.
  case severalTokens

  /// Recognises a file that is not JSON.
  init?(_ contents: Secret) {
    let document: ForeignDocument? = contents.withBytes { bytes in
      let lines = bytes.lineRanges.map { bytes.trimmed($0) }.filter { !$0.isEmpty }
      if lines.count == 1, let line = lines.first, bytes.first(" ", in: line) == nil {
        let isJWT = bytes.starts(line, with: "eyJ") && bytes.first(".", in: line) != nil
        if isJWT || bytes.secret(line).hasTokenPrefix { return .token }
      }
      guard let line = lines.first(where: { bytes.starts($0, with: "-----BEGIN ") }), let label = bytes.text(line)
      else { return nil }
      return label.contains("PRIVATE KEY") ? .privateKey : label.contains("CERTIFICATE-") ? .certificate : .otherPEM
    }
    guard let document else { return nil }
    self = document
  }

  /// Recognises JSON.
  package init?(_ json: JSON) {
    guard let object = json.objectValue else { return nil }
    if object["keys"]?.arrayValue != nil {
      self = .keySet
    } else if object["kty"] != nil {
      self = .key
    } else if object["type"] == "service_account" {
      self = .serviceAccount
    } else if object["type"] == "authorized_user", object["token"] == nil {
      self = .authorizedUser
    } else {
      return nil
    }
  }
}
