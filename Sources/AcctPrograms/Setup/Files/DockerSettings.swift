package import Secrets
import StrictJSON

/// The credential helpers in docker's `config.json`, which podman, skopeo and buildah read, too.
package enum DockerSettings {
  /// Has docker ask acct, for one registry or for all that have no helper of their own.
  ///
  /// - Parameters:
  ///   - host: The registry with its port, as docker writes it; `nil` for all.
  ///   - contents: The file; `nil` if there is none.
  /// - Returns: The changed file; `nil` if docker asks acct already.
  /// - Throws: ``SettingsFlaw``.
  package static func adding(_ host: String?, to contents: Secret?) throws(SettingsFlaw) -> EditedSettings? {
    let contents = contents.flatMap { $0.isBlank ? nil : $0 } ?? Secret("{}\n")
    return try contents.withBytes { bytes throws(SettingsFlaw) in
      let edit = try JSONEdit(bytes)
      let current = try value(of: host, edit, bytes)
      guard current != acct else { return nil }
      let splice =
        if let host { try edit.setting(host, in: helpers, to: acct.asJSON) } else {
          edit.setting(store, to: acct.asJSON)
        }
      let change = SettingChange(host.map { "\(helpers).\($0)" } ?? store, acct, replacing: current)
      return EditedSettings(bytes.spliced(splice), [change])
    }
  }

  /// Takes back a change in a file that was written since.
  ///
  /// - Returns: The changed file; `nil` if docker does not ask acct any more.
  package static func removing(_ change: SettingChange, from contents: Secret) throws(SettingsFlaw) -> Secret? {
    let prefix = "\(helpers)."
    let host = change.name.hasPrefix(prefix) ? String(change.name.dropFirst(prefix.count)) : nil
    guard !contents.isBlank else { return nil }
    return try contents.withBytes { bytes throws(SettingsFlaw) in
      let edit = try JSONEdit(bytes)
      guard try value(of: host, edit, bytes) == acct else { return nil }
      if let replaced = change.replaced {
        let splice =
          if let host { try edit.setting(host, in: helpers, to: replaced.asJSON) } else {
            edit.setting(store, to: replaced.asJSON)
          }
        return bytes.spliced(splice)
      }
      guard let host, let place = edit[helpers] else { return edit.removing(store).map { bytes.spliced($0) } }
      let inner = try JSONEdit(bytes, at: place.value.lowerBound)
      let splice = inner.count == 1 ? edit.removing(helpers) : inner.removing(host)
      return splice.map { bytes.spliced($0) }
    }
  }

  /// The servers whose logins docker keeps in the file itself, where it does not look once a helper has them.
  package static func logins(in contents: Secret) -> [String] {
    let json = try? contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue?["auths"]?.objectValue ?? [:]).compactMap { member in
      let isKept = ["auth", "identitytoken", "password"].contains {
        member.value.objectValue?[$0]?.stringValue?.isEmpty == false
      }
      return isKept ? member.name : nil
    }
  }

  /// The registries that have a helper of their own.
  package static func ownHelpers(in contents: Secret) -> [String] {
    let json = try? contents.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue?[helpers]?.objectValue ?? [:]).map(\.name)
  }

  private static let acct = "acct"
  private static let store = "credsStore"
  private static let helpers = "credHelpers"

  /// The helper that is set; an empty name is none.
  private static func value(
    of host: String?,
    _ edit: JSONEdit,
    _ bytes: Span<UInt8>
  ) throws(SettingsFlaw) -> String? {
    guard let outer = edit[host == nil ? store : helpers] else { return nil }
    let json: JSON
    do { json = try JSON(parsing: bytes.extracting(outer.value)) } catch { throw .notJSON }
    var value = json
    if let host {
      guard let object = json.objectValue else { throw .form(helpers) }
      guard let helper = object[host] else { return nil }
      value = helper
    }
    guard let name = value.stringValue else { throw .form(host == nil ? store : helpers) }
    return name.isEmpty ? nil : name
  }
}

extension Secret {
  /// `true` if there is nothing but white space.
  var isBlank: Bool {
    withBytes { bytes in bytes.indices.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains(bytes[$0]) } }
  }
}
