import AcctModel
package import AcctPorts
import AcctProtocol
package import StrictJSON

/// Reads JSON that the user hands over: at most 1 MiB, from a file or standard input.
package struct ImportFile: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  private static let limit = 1 << 20

  /// Reads credentials.
  ///
  /// - Parameter path: A file, or `-` for standard input.
  /// - Returns: Credentials in which nothing is left to check.
  /// - Throws: ``EngineError/input(_:)``, ``EngineError/handoff(_:)``.
  package func read(_ path: String) throws(EngineError) -> NewCredentials {
    let json = try json(path)
    do { return NewCredentials(try Handoff(json, receivedAt: world.clock.now())) } catch {
      throw .handoff(error)
    }
  }

  /// Reads any JSON.
  package func json(_ path: String) throws(EngineError) -> JSON {
    let bytes: Secret
    do { bytes = try world.streams.input(path, Self.limit) } catch { throw .input(error) }
    do {
      return try bytes.withBytes { span throws(JSONError) in
        try JSON(parsing: span, maximumBytes: Self.limit)
      }
    } catch {
      throw .handoff(.json(error))
    }
  }
}
