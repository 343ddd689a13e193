import AcctModel
import StrictJSON

extension OwnGrant {
  /// As an account's file has it.
  var json: JSON { ["scope": .init(scope), "audiences": .array(audiences.map { .string($0) })] }

  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue, let list = object["audiences"]?.arrayValue else { throw AccountFile.Damage() }
    var audiences: [String] = []
    for element in list {
      guard let text = element.stringValue else { throw AccountFile.Damage() }
      audiences.append(text)
    }
    let scope = object["scope"] ?? .null
    guard scope == .null || scope.stringValue != nil else { throw AccountFile.Damage() }
    self.init(scope: scope.stringValue, audiences: audiences)
  }
}
