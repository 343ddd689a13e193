import AcctModel
import AcctPorts

/// This machine's identifier: a UUID, made once and kept, for guest sessions alone.
struct DeviceID: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  func value() throws(EngineError) -> String {
    do {
      if let bytes = try world.files.read(.deviceID),
        let id = try? AccountID(String(decoding: bytes.prefix(36), as: UTF8.self))
      {
        return id.description
      }
      let id = world.entropy.accountID().description
      try world.files.replace(.deviceID, Array("\(id)\n".utf8))
      return id
    } catch {
      throw .files(error)
    }
  }
}
