import AcctModel
import AcctProtocol

/// The form of a grant, made anew for each time that it is sent: a server takes an assertion once (RFC 7523,
/// section 3).
struct GrantForm: Sendable {
  /// Makes it for a moment.
  let make: @Sendable (ServerClient.Moment) throws(EngineError) -> FormBody

  /// A form that is the same each time.
  init(_ form: FormBody) { make = { (_) throws(EngineError) in form } }

  /// The form of a grant that needs no person.
  init(
    direct scope: String?,
    _ resources: [ResourceIndicator],
    of server: AuthorizationServer,
    by client: ServerClient
  ) { make = { (moment) throws(EngineError) in try client.directGrant(scope, resources, of: server, moment) } }

  /// The same with more parameters.
  func adding(_ parameters: [RequestParameter]) -> GrantForm {
    let make = make
    return GrantForm { (moment) throws(EngineError) in
      var form = try make(moment)
      form.add(parameters)
      return form
    }
  }

  private init(make: @escaping @Sendable (ServerClient.Moment) throws(EngineError) -> FormBody) { self.make = make }
}
