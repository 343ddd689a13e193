import AcctModel
import StrictJSON

extension SubjectStatements {
  /// As an account's file has them; `nil` where there are none.
  var json: JSON? {
    guard self != SubjectStatements() else { return nil }
    return ["idToken": .init(idToken), "userinfo": .init(userinfo)]
  }

  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    func text(_ name: String) throws(AccountFile.Damage) -> String? {
      guard let value = object[name], value != .null else { return nil }
      guard let text = value.stringValue else { throw AccountFile.Damage() }
      return text
    }
    self.init(idToken: try text("idToken"), userinfo: try text("userinfo"))
  }
}
