import AcctModel
import StrictJSON

extension ClientCertificate {
  /// The form in an account's file.
  var json: JSON {
    var object: JSONObject = ["thumbprint": .string(thumbprint), "endsAt": .string(endsAt.description)]
    if isBound { object["bound"] = true }
    if isKeyInToken { object["keyStorage"] = .string(KeyStorage.pkcs11.rawValue) }
    if let files { object["files"] = .array([.string(files.certificate), .string(files.key)]) }
    return .object(object)
  }

  /// Parses the output of ``json``; an unknown member is damage, too.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue, let thumbprint = object["thumbprint"]?.stringValue,
      let time = object["endsAt"]?.stringValue, let endsAt = try? Timestamp(time),
      object.names.allSatisfy({ ["thumbprint", "endsAt", "bound", "keyStorage", "files"].contains($0) })
    else { throw AccountFile.Damage() }
    let storage = object["keyStorage"]
    guard storage == nil || storage?.stringValue == KeyStorage.pkcs11.rawValue else { throw AccountFile.Damage() }
    self.init(
      thumbprint: thumbprint,
      endsAt: endsAt,
      isBound: object["bound"]?.boolValue ?? false,
      files: try object["files"].map(Files.init),
      isKeyInToken: storage != nil
    )
  }
}

extension ClientCertificate.Files {
  fileprivate init(_ json: JSON) throws(AccountFile.Damage) {
    guard let paths = json.arrayValue?.compactMap(\.stringValue), paths.count == 2, paths.allSatisfy(\.isAbsolutePath)
    else { throw AccountFile.Damage() }
    self.init(certificate: paths[0], key: paths[1])
  }
}
