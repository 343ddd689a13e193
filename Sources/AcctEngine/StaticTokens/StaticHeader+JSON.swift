package import AcctModel
package import StrictJSON

extension StaticHeader {
  /// In an account's file, and in what scripts read.
  package var json: JSON {
    let (scheme, user): (JSON, JSON) =
      switch form {
      case .bare: (.null, .null)
      case .scheme(let scheme): (.string(scheme), .null)
      case .basic(let user): ("Basic", .string(user))
      }
    return ["header": .string(field), "scheme": scheme, "user": user]
  }

  /// Reads what ``json`` writes; `nil` for anything else.
  package init?(json: JSON) {
    guard let members = json.objectValue, let field = members["header"]?.stringValue,
      let scheme = members["scheme"], let user = members["user"]
    else { return nil }
    let form: Form
    switch (scheme, user) {
    case (.null, .null): form = .bare
    case (.string(let scheme), .null): form = .scheme(scheme)
    case (.string("Basic"), .string(let user)): form = .basic(user: user)
    default: return nil
    }
    guard let header = try? StaticHeader(field: field, form: form) else { return nil }
    self = header
  }
}
