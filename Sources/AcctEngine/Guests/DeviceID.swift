import AcctProtocol
import AcctModel
import Secrets
import AcctPorts
import Release

/// This machine's identifier: a UUID, made once and kept, for guest sessions alone.
struct DeviceID: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  /// The header line with the identifier.
  ///
  /// - Returns: `X-Device-ID` and the identifier.
  /// - Throws: ``FilesError/failed(_:)``, ``GuestError/damagedDeviceID``.
  func field() async throws(EngineError) -> HeaderField { HeaderField("X-Device-ID", Secret(try await value())) }

  /// Returns the identifier, which is created if there is none.
  private func value() async throws(EngineError) -> String {
    if let known = try read() { return known }
    return try await world.files.withLock(.deviceID, waiting: 30, failure: { .files(.failed($0)) }) {
      () throws(EngineError) in
      // Another process may have made it while this one waited for the lock.
      if let known = try read() { return known }
      let made = world.entropy.accountID().description
      do throws(FilesFailure) { try world.files.replace(.deviceID, Array("\(made)\n".utf8)) } catch {
        throw .files(.failed(error))
      }
      return made
    }
  }

  /// Reads the file, and rejects other contents: to every backend a new identifier would be another machine.
  private func read() throws(EngineError) -> String? {
    let bytes: [UInt8]?
    do { bytes = try world.files.read(.deviceID) } catch { throw .files(.failed(error)) }
    guard let bytes else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let id = try? AccountID(text.last == "\n" ? String(text.dropLast()) : text) else {
      throw .guest(.damagedDeviceID)
    }
    return id.description
  }
}
