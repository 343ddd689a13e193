package import Secrets
package import AcctPorts

/// Delivers an address that the desktop opened to the waiting sign-in.
package struct DeliverCallback: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// Delivers it; the sign-in decides whether it is the expected one.
  ///
  /// - Parameters:
  ///   - address: The address as the desktop opened it.
  ///   - folder: The folder in which the waiting sign-in listens, if the desktop entry names it.
  /// - Throws: ``EngineError/backend(_:)`` if no sign-in waits for it, or one waits for another.
  package func deliver(_ address: Secret, folder: String?) async throws(EngineError) {
    let page: CallbackPage
    do { page = try await world.schemeHandler.deliver(address, folder) } catch { throw .backend(.undelivered(error)) }
    if case .unexpected = page { throw .backend(.unexpectedCallback) }
  }
}
