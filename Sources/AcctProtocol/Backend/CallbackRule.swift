/// What a callback must satisfy to be accepted.
package struct CallbackRule: Sendable {
  /// What `--callback` names; without it any app's scheme, or loopback.
  package var expected: CallbackPlace?
  /// The parameters that must be there, and not be empty.
  package var required: [String]

  package init(expected: CallbackPlace?, required: [String]) {
    self.expected = expected
    self.required = required
  }

  /// The contents of a valid callback.
  package enum Reading: Equatable, Sendable {
    /// Everything that is required is there.
    case complete(QueryParameters)
    /// The backend, or the user there, refused (RFC 6749, section 4.1.2.1).
    case refused(code: String, description: String?)
  }

  /// Reads an address.
  ///
  /// - Parameter address: From wherever it came.
  /// - Returns: What it says.
  /// - Throws: ``CallbackFlaw``; the right one may still come.
  package func read(_ address: String) throws(CallbackFlaw) -> Reading {
    let callback = try CallbackAddress(address)
    guard callback.place.isAppScheme || callback.place.isLoopback else { throw .foreign }
    guard expected?.covers(callback.place) ?? true else { throw .unexpected }
    if let code = callback.parameters["error"] {
      return .refused(code: code, description: callback.parameters["error_description"])
    }
    for name in required where callback.parameters[name] == nil { throw .incomplete(missing: name) }
    return .complete(callback.parameters)
  }
}
