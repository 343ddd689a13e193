package import AcctModel
package import AcctPorts

extension TPMKey {
  /// Reads what a signing key's file says in public.
  ///
  /// - Throws: ``HardwareKeyFailure/unsuitable(reason:)`` for one of another kind.
  package init(_ file: KeyFile) throws(HardwareKeyFailure) {
    guard file.kind == .loadable else { throw .unsuitable(reason: "it is sealed data, and no key") }
    self.init(blob: file.der, point: try file.signingKey().point, hasPIN: !file.emptyAuth)
  }
}

extension KeyFile {
  /// Whether wrong PINs of the key are counted.
  var isCounted: Bool {
    get throws(HardwareKeyFailure) { !(try signingKey().attributes.contains(.noDictionaryAttacks)) }
  }

  fileprivate func signingKey() throws(HardwareKeyFailure) -> (point: HardwareKeyPoint, attributes: Attributes) {
    do throws(HardwareKeyFailure) {
      return try PublicArea.signingKey(publicPart)
    } catch {
      // It stands in a file, and is no reply.
      if case .malformedReply = error { throw .noKeyFile }
      throw error
    }
  }
}
