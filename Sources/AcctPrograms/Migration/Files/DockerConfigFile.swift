import AcctProtocol
import AcctModel
package import Secrets
package import StrictJSON
import Text

/// Docker's `config.json`: logins in base64, or the names of the helpers that have them.
package enum DockerConfigFile {
  /// - Throws: ``MigrationFlaw/json(_:line:)``, ``MigrationFlaw/notJSON``.
  package static func logins(in contents: Secret) throws(MigrationFlaw) -> FoundLogins {
    let object = try object(in: contents)
    var found = FoundLogins()
    let helpers = object["credHelpers"]?.objectValue ?? JSONObject()
    // A registry's own helper comes before the file and the general one.
    for (server, helper) in helpers { found.add(server, helper: helper.stringValue ?? "") }
    let general = object["credsStore"]?.stringValue
    for (server, entry) in object["auths"]?.objectValue ?? JSONObject() where helpers[server] == nil {
      if let general {
        found.add(server, helper: general)
      } else if let entry = entry.objectValue {
        found.add(server, entry)
      }
    }
    return found
  }

  /// Returns `true` if JSON looks like one.
  package static func isLikely(_ json: JSON) -> Bool {
    guard let object = json.objectValue else { return false }
    return ["auths", "credHelpers", "credsStore"].contains { object[$0] != nil }
  }

  private static func object(in contents: Secret) throws(MigrationFlaw) -> JSONObject {
    let json = try contents.withBytes { bytes throws(MigrationFlaw) in
      do throws(JSONError) { return try JSON(parsing: bytes) } catch { throw MigrationFlaw(error, in: bytes) }
    }
    guard let object = json.objectValue else { throw .notJSON }
    return object
  }
}

extension FoundLogins {
  fileprivate mutating func add(_ server: String, helper: String) {
    // acct's own login would come back to it.
    guard helper != "acct" else { return }
    guard !helper.isEmpty, helper.utf8.allSatisfy({ isNamePart($0) }) else {
      skip(server, .helperName)
      return
    }
    guard !shortLivedHelpers.contains(helper), !helper.hasPrefix("acr-") else {
      skip(server, .shortLived(helper: helper))
      return
    }
    do throws(ParseError) {
      let registry = try Registry(server)
      add(
        FoundLogin(
          place: server,
          user: nil,
          origins: registry.origins,
          path: registry.path,
          form: .password,
          secret: .dockerHelper(helper)
        )
      )
    } catch {
      skip(server, SkippedLogin.Reason(error))
    }
  }

  fileprivate mutating func add(_ server: String, _ entry: JSONObject) {
    if let token = entry["identitytoken"]?.stringValue, !token.isEmpty {
      skip(server, .identityToken)
      return
    }
    let text = entry["auth"]?.stringValue ?? ""
    if text.isEmpty, let user = entry["username"]?.stringValue, let password = entry["password"]?.stringValue {
      add(server, Secret(user), Secret(password))
      return
    }
    guard !text.isEmpty else {
      skip(server, .noSecret)
      return
    }
    let pair = Secret(text).base64Decoded?.withBytes { bytes -> (user: Secret, password: Secret)? in
      guard let colon = bytes.first(":", in: 0..<bytes.count) else { return nil }
      // Old versions of docker padded it with zero bytes.
      var (start, end) = (colon + 1, bytes.count)
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      while start < end, bytes[start] == 0 { start += 1 }
      return (bytes.secret(0..<colon), bytes.secret(start..<end))
    }
    guard let pair = pair ?? nil else {
      skip(server, .auth)
      return
    }
    add(server, pair.user, pair.password)
  }

  private mutating func add(_ server: String, _ user: Secret, _ password: Secret) {
    do throws(ParseError) {
      let registry = try Registry(server)
      add(user, password, at: (registry.origins, registry.path), named: server, line: nil)
    } catch {
      skip(server, SkippedLogin.Reason(error))
    }
  }
}

/// The helpers of clouds, which make a password of a login of their own: for 12 hours (AWS), or for one (Google).
private let shortLivedHelpers = ["ecr-login", "gcloud", "gcr"]

/// `true` for a character of a program's name.
private func isNamePart(_ byte: UInt8) -> Bool {
  byte.isASCIIAlphanumeric || "-._".utf8.contains(byte)
}

/// The answer of a docker credential helper to `get`.
package struct DockerHelperAnswer: Sendable {
  package let user: String
  package let secret: Secret

  /// - Throws: ``MigrationFlaw/notJSON``; also without a user, and for an identity token.
  package init(_ output: Secret) throws(MigrationFlaw) {
    let json = try? output.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    guard let object = json?.objectValue, let user = object["Username"]?.stringValue, user != "<token>",
      let secret = object["Secret"]?.stringValue
    else { throw .notJSON }
    (self.user, self.secret) = (user, Secret(secret))
  }
}
