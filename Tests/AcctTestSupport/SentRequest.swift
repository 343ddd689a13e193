package import AcctPorts
package import Secrets

/// What a test's transport got.
extension HTTPRequest {
  package var fields: [(name: String, value: Secret)] { sentFields }
  package var body: Secret? { sentBody }
}

extension StreamedRequest {
  package var fields: [(name: String, value: Secret)] { sentFields }
}
