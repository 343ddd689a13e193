import AcctModel
import StrictJSON

extension TokenInputs {
  /// The form in an account's file; `nil` for none.
  var json: JSON? {
    guard !isEmpty else { return nil }
    var object = JSONObject()
    object["clientAssertion"] = clientAssertion.map(JSON.string)
    switch grantToken {
    case .file(let path): object["file"] = .string(path)
    case .program(let line): object["program"] = .array(line.words.map(JSON.string))
    case .account(let id): object["account"] = .string(id.description)
    case nil: break
    }
    object["subjectType"] = (subjectType?.text).map(JSON.string)
    object["requestedType"] = (requestedType?.text).map(JSON.string)
    if !audiences.isEmpty { object["audiences"] = .array(audiences.map(JSON.string)) }
    return .object(object)
  }

  /// Parses inputs; an unknown member is damage, as in the settings around them.
  init(_ json: JSON) throws(AccountFile.Damage) {
    guard let object = json.objectValue else { throw AccountFile.Damage() }
    self.init()
    for (name, value) in object {
      switch name {
      case "clientAssertion": clientAssertion = try Self.path(value)
      case "file": grantToken = .file(try Self.path(value))
      case "program": grantToken = .program(try Self.parsed(try Self.texts(value), ProgramLine.init))
      case "account": grantToken = .account(try Self.parsed(try Self.text(value), AccountID.init))
      case "subjectType": subjectType = try Self.parsed(try Self.text(value), TokenTypeURI.init)
      case "requestedType": requestedType = try Self.parsed(try Self.text(value), TokenTypeURI.init)
      case "audiences": audiences = try Self.texts(value)
      default: throw AccountFile.Damage()
      }
    }
    let places = ["file", "program", "account"].filter { object[$0] != nil }
    guard places.count <= 1 else { throw AccountFile.Damage() }
  }

  private static func parsed<Text, Value>(
    _ text: Text,
    _ parse: (Text) throws(ParseError) -> Value
  ) throws(AccountFile.Damage) -> Value {
    do { return try parse(text) } catch { throw AccountFile.Damage() }
  }

  private static func text(_ json: JSON) throws(AccountFile.Damage) -> String {
    guard let text = json.stringValue else { throw AccountFile.Damage() }
    return text
  }

  private static func texts(_ json: JSON) throws(AccountFile.Damage) -> [String] {
    guard let list = json.arrayValue else { throw AccountFile.Damage() }
    var texts: [String] = []
    for element in list { texts.append(try text(element)) }
    return texts
  }

  /// An absolute path.
  private static func path(_ json: JSON) throws(AccountFile.Damage) -> String {
    let path = try text(json)
    guard path.isAbsolutePath else { throw AccountFile.Damage() }
    return path
  }
}

extension String {
  /// `true` for a path from the root of the file system.
  var isAbsolutePath: Bool { hasPrefix("/") && !utf8.contains(0) }
}
