import StrictJSON

/// The requests that a network has seen, without any secret in them.
package struct ATProtoLog: Sendable {
  package let requests: [Request]
  /// Requests that only a wrong client makes, or with a secret that has no business there.
  package let offences: [String]
  /// The reasons for which sessions have ended, `nil` for those that live.
  package let endings: [String?]

  package struct Request: Sendable {
    /// The name of the origin, such as `as` or `pds`.
    package let origin: String
    /// What was asked for there, such as `token`.
    package let endpoint: String
    package let grantType: String?
    package let loginHint: String?
    package let clientID: String?
    /// The error code of the answer.
    package let error: String?
    package let status: Int?
    /// Whether there was a DPoP proof.
    package let hasProof: Bool
  }

  init(_ json: JSON) {
    requests = (json["requests"]?.arrayValue ?? []).map { record in
      Request(
        origin: record["origin"]?.stringValue ?? "",
        endpoint: record["endpoint"]?.stringValue ?? "",
        grantType: record["grant_type"]?.stringValue,
        loginHint: record["login_hint"]?.stringValue,
        clientID: record["client_id"]?.stringValue,
        error: record["error"]?.stringValue,
        status: (record["status"]?.numberValue?.double).map { Int($0) },
        hasProof: record["dpop"]?.boolValue == true
      )
    }
    let offences = [json["violations"], json["misplaced"]].flatMap { $0?.arrayValue ?? [] }
    self.offences = offences.map { record in
      let words = ["origin", "endpoint", "method", "error", "description"].compactMap { record[$0]?.stringValue }
      let strayed = record["misplaced"]?.arrayValue?.compactMap(\.stringValue) ?? []
      return (words + strayed).joined(separator: " ")
    }
    endings = (json["sessions"]?.arrayValue ?? []).map { $0["ended"]?.stringValue }
  }

  /// The requests that could have spent a refresh token.
  package var renewals: [Request] { requests.filter { $0.grantType == "refresh_token" } }

  /// The requests that were rejected because they lacked a nonce.
  package var challenges: [Request] { requests.filter { $0.error == "use_dpop_nonce" } }
}
