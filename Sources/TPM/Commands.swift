import AcctModel
import Secrets
import AcctPorts

/// The parameters of each command.
extension CommandWriter {
  /// TPM 2.0 Library, Part 3 §24.1.
  static func createPrimary() -> CommandWriter {
    var command = CommandWriter(.createPrimary, handle: Handle.owner, password: nil)
    command.object(.storage, password: nil, data: nil)
    return command
  }

  /// Part 3 §12.1.
  static func create(
    _ template: Template,
    below parent: UInt32,
    password: Secret? = nil,
    data: Secret? = nil
  ) -> CommandWriter {
    var command = CommandWriter(.create, handle: parent, password: nil)
    command.object(template, password: password, data: data)
    return command
  }

  /// Part 3 §12.2.
  static func load(_ key: KeyFile, below parent: UInt32) -> CommandWriter {
    var command = CommandWriter(.load, handle: parent, password: nil)
    command.raw(key.privatePart)
    command.raw(key.publicPart)
    return command
  }

  /// Part 3 §20.2: ECDSA, of a digest that need not come from the TPM (an empty TPMT_TK_HASHCHECK, Part 2 §10.6.6).
  static func sign(_ digest: [UInt8], with key: UInt32, password: Secret?) -> CommandWriter {
    var command = CommandWriter(.sign, handle: key, password: password)
    command.sized(digest)
    command.uint16(Algorithm.ecdsa)
    command.uint16(Algorithm.sha256)
    command.uint16(StructureTag.hashCheck)
    command.uint32(Handle.null)
    command.uint16(0)
    return command
  }

  /// Part 3 §14.5, TPM2_ECDH_ZGen: the point as a TPM2B_ECC_POINT (Part 2 §11.2.5.3).
  static func agree(with point: HardwareKeyPoint, by key: UInt32) -> CommandWriter {
    var command = CommandWriter(.agree, handle: key, password: nil)
    command.uint16(UInt16(4 + point.x.count + point.y.count))
    command.sized(point.x)
    command.sized(point.y)
    return command
  }

  /// Part 3 §12.7.
  static func unseal(_ object: UInt32) -> CommandWriter { CommandWriter(.unseal, handle: object, password: nil) }

  /// Part 3 §28.4: the handle is a parameter there.
  static func flushContext(_ object: UInt32) -> CommandWriter { CommandWriter(.flushContext, handle: object) }

  /// Part 3 §30.2.
  static func getCapability(_ capability: UInt32, from first: UInt32, count: UInt32) -> CommandWriter {
    var command = CommandWriter(.getCapability, handle: capability)
    command.uint32(first)
    command.uint32(count)
    return command
  }

  /// TPM2B_SENSITIVE_CREATE (Part 2 §11.1.16), the template, no outside information, no registers.
  private mutating func object(_ template: Template, password: Secret?, data: Secret?) {
    uint16(UInt16(4 + (password?.count ?? 0) + (data?.count ?? 0)))
    sized(password)
    sized(data)
    template.write(to: &self)
    uint16(0)
    uint32(0)
  }
}
