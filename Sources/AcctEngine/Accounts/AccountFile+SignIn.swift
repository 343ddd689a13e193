import AcctModel
import StrictJSON
import Release

extension SignInSettings {
  /// The form in an account's file.
  var json: JSON {
    var object = JSONObject()
    object["scope"] = scope.map(JSON.string)
    if usesDevice { object["device"] = true }
    object["redirect"] = (redirect?.registered).map(JSON.string)
    object["redirectPort"] = redirectPort.map { .number(JSONNumber(Int64($0))) }
    object["backend"] = backend.map(JSON.string)
    object["identifier"] = identifier.map(JSON.string)
    object["callback"] = callback.map(JSON.string)
    if !endpoints.isEmpty { object["endpoints"] = ClientSettings.json(of: endpoints) }
    if !parameters.isEmpty { object["parameters"] = ClientSettings.json(of: parameters) }
    if sendsIDToken { object["send"] = "id-token" }
    object["tokenEndpoint"] = tokenEndpoint.map(JSON.string)
    return .object(object)
  }

  /// Parses settings; a member of a later version is left out, since the next sign-in can be told everything again.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    self.init(
      scope: object["scope"]?.stringValue,
      usesDevice: object["device"]?.boolValue ?? false,
      redirect: object["redirect"]?.stringValue.flatMap { try? LoopbackRedirect($0) },
      redirectPort: object["redirectPort"]?.numberValue?.integer.flatMap { UInt16(exactly: $0) }.map(Int.init),
      backend: object["backend"]?.stringValue,
      identifier: object["identifier"]?.stringValue,
      callback: object["callback"]?.stringValue,
      endpoints: try object["endpoints"].map(ClientSettings.endpoints) ?? [:],
      parameters: try object["parameters"].map { value throws(AccountFile.Damage) in
        try ClientSettings.parameters(value)
      } ?? []
    )
    sendsIDToken = object["send"] == "id-token"
    tokenEndpoint = object["tokenEndpoint"]?.stringValue
  }
}
