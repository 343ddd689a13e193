import AcctModel
package import AcctPorts
package import Secrets

/// What a test's transport got: nothing of a credential that is for another server.
extension HTTPRequest {
  package var fields: [SentField] { (try? opened(for: url.origin).fields) ?? [] }
  package var sentQuery: Secret? { try? opened(for: url.origin).query }
  package var body: Secret? { try? opened(for: url.origin).body }
}

extension StreamedRequest {
  package var fields: [SentField] { (try? opened(for: url.origin).fields) ?? [] }
  package var sentQuery: Secret? { try? opened(for: url.origin).query }
}
