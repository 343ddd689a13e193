import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import KeyDevices
import Secrets
import StrictJSON
import Testing

@Suite("The item of a key in a device")
struct KeptKeyTests {
  /// The key of an item with these members beside its public JWK.
  private func stored(_ storage: KeyStorage, _ place: String) throws -> StoredHardwareKey {
    let jwk = try DPoPKey.generate().publicJWK.objectValue
    let members = try #require(try JSON(parsing: Array(place.utf8)).objectValue)
    let (x, y) = (try #require(jwk?["x"]?.stringValue), try #require(jwk?["y"]?.stringValue))
    return try StoredHardwareKey(storage, members, x: Base64URL.decode(x), y: Base64URL.decode(y))
  }

  private func open(_ stored: StoredHardwareKey) throws -> HardwareKey {
    try Devices(HardwareKeys.none).open(stored, EngineContext(RecordedWorld().world(), .forbidden, timeout: 1) { _ in })
  }

  @Test(
    "The place of a key is read as it was written, without members that acct does not write",
    arguments: [
      (KeyStorage.tpm2, #"{"tss2":"AAEC","tpm":"/dev/tpmrm0","more":true}"#, ["acct_key", "tss2", "tpm"]),
      (.pkcs11, #"{"uri":"pkcs11:object=a","made":true}"#, ["acct_key", "uri", "made"]),
      (.pkcs11, #"{"uri":"pkcs11:object=a","made":false}"#, ["acct_key", "uri"]),
    ]
  )
  func place(storage: KeyStorage, place: String, names: [String]) throws {
    guard case .hardware(let stored) = try StoredDPoPKey(stored(storage, place).item) else {
      Issue.record("a software key")
      return
    }
    let key = try open(stored)
    let item = try key.stored.item.withBytes { try JSON(parsing: $0) }.objectValue
    #expect(item?.names == ["kty", "crv", "x", "y"] + names)
    #expect(item?["acct_key"] == .string(storage.rawValue))
    #expect(key.stored.thumbprint == stored.thumbprint)
  }

  @Test(
    "A place that names no device opens none",
    arguments: [
      (KeyStorage.tpm2, "{}"), (.tpm2, #"{"tss2":"","tpm":"/dev/tpmrm0"}"#),
      (.tpm2, #"{"tss2":"AAEC","tpm":"relative"}"#), (.tpm2, #"{"uri":"pkcs11:object=a"}"#), (.pkcs11, "{}"),
      (.pkcs11, #"{"uri":"pkcs11:object=a?pin-value=1"}"#), (.software, #"{"uri":"pkcs11:object=a"}"#),
    ]
  )
  func malformed(storage: KeyStorage, place: String) throws {
    let stored = try stored(storage, place)
    #expect(throws: JWKError.unsupportedStorage) { try open(stored) }
  }
}
