import AcctModel
package import AcctPorts
package import Secrets

/// What a test's transport got: nothing of a credential that is for another server.
extension HTTPRequest {
  package var fields: [SentField] { (try? opened().fields) ?? [] }
  package var sentQuery: Secret? { try? opened().query }
  package var body: Secret? { try? opened().body }
}

extension StreamedRequest {
  package var fields: [SentField] { (try? opened().fields) ?? [] }
  package var sentQuery: Secret? { try? opened().query }
}
