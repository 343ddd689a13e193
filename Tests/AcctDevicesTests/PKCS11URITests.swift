import KeyDevices
import Testing

@Suite("The URI of a key in a token")
struct PKCS11URITests {
  @Test("Each attribute is read, and written in one order")
  func reads() throws {
    let uri = try PKCS11URI(
      "pkcs11:id=%01%ff;object=build%20host;serial=5;model=M%2B;manufacturer=A&B;token=My%20token;"
        + "slot-id=7;type=private?pin-source=file:/run/pin&x-vendor=1&module-path=/lib/m.so"
    )
    #expect(uri.token == "My token")
    #expect(uri.manufacturer == "A&B")
    #expect(uri.model == "M+")
    #expect(uri.serial == "5")
    #expect(uri.slotID == 7)
    #expect(uri.object == "build host")
    #expect(uri.id == [1, 255])
    #expect(uri.modulePath == "/lib/m.so")
    #expect(uri.pinFile == "/run/pin")
    #expect(
      uri.description
        == "pkcs11:token=My%20token;manufacturer=A%26B;model=M%2B;serial=5;slot-id=7;"
        + "object=build%20host;id=%01%FF?module-path=/lib/m.so&pin-source=file:/run/pin"
    )
    #expect(try PKCS11URI(uri.description) == uri)
  }

  @Test("A URI without attributes matches everything")
  func empty() throws {
    #expect(try PKCS11URI("pkcs11:") == PKCS11URI())
    #expect(PKCS11URI().description == "pkcs11:")
  }

  @Test("A file with the PIN is a path or a file URI", arguments: ["/p", "file:/p", "file:///p"])
  func pinFiles(source: String) throws {
    #expect(try PKCS11URI("pkcs11:?pin-source=\(source)").pinFile == "/p")
  }

  @Test(
    "A PIN is refused wherever and however it is written, and never repeated",
    arguments: [
      "pkcs11:token=a?pin-value=4711", "pkcs11:pin-value=4711", "pkcs11:?x=1&pin-value=4711",
      "pkcs11:?%70in-value=4711", "pkcs11:?PIN-VALUE=4711", "pkcs11:?pin-value=47%zz11",
      "pkcs11:nonsense?pin-value=4711", "pkcs11:?pin-value", "pkcs11:token=T&pin-value=4711",
      "pkcs11:?x=1;pin-value=4711", "pkcs11:?x=1?%50IN-value=4711",
    ]
  )
  func pinValue(text: String) {
    #expect(throws: PKCS11URIFlaw.pinValue) { try PKCS11URI(text) }
    #expect(!"\(PKCS11URIFlaw.pinValue)".contains("4711"))
  }

  @Test(
    "What is no URI of a key is refused with its flaw",
    arguments: [
      ("tpm:", .otherScheme), ("pkcs11", .otherScheme), ("PKCS11:token=a", .otherScheme), ("pkcs11:token", .malformed),
      ("pkcs11:token=a;", .malformed), ("pkcs11:;", .malformed), ("pkcs11:token=%4", .malformed),
      ("pkcs11:token=%4g", .malformed), ("pkcs11:token=a b", .malformed), ("pkcs11:token=ä", .malformed),
      ("pkcs11:token=a/b", .malformed), ("pkcs11:=a", .malformed), ("pkcs11:?", nil), ("pkcs11:token=a#b", .malformed),
      ("pkcs11:\(String(repeating: "x", count: 4096))", .malformed),
      ("pkcs11:library-version=1", .unknownAttribute("library-version")),
      ("pkcs11:module-path=/m", .unknownAttribute("module-path")), ("pkcs11:x-own=1", .unknownAttribute("x-own")),
      ("pkcs11:token=a;token=a", .repeatedAttribute("token")),
      ("pkcs11:?module-path=/a&module-path=/a", .repeatedAttribute("module-path")),
      ("pkcs11:token=%ff", .wrongValue("token")), ("pkcs11:token=%00", .wrongValue("token")),
      ("pkcs11:id=", .wrongValue("id")), ("pkcs11:slot-id=-1", .wrongValue("slot-id")),
      ("pkcs11:slot-id=+1", .wrongValue("slot-id")), ("pkcs11:type=cert", .wrongValue("type")),
      ("pkcs11:?module-path=m.so", .wrongValue("module-path")), ("pkcs11:?module-name=a/b", .wrongValue("module-name")),
      ("pkcs11:?pin-source=pin", .wrongValue("pin-source")),
      ("pkcs11:?pin-source=file://host/pin", .wrongValue("pin-source")),
      ("pkcs11:?pin-source=%7Ccat%20/pin", .pinProgram), ("pkcs11:?pin-source=|cat", .pinProgram),
    ] as [(String, PKCS11URIFlaw?)]
  )
  func flaws(text: String, flaw: PKCS11URIFlaw?) {
    var found: PKCS11URIFlaw?
    do throws(PKCS11URIFlaw) { _ = try PKCS11URI(text) } catch { found = error }
    #expect(found == flaw, "\(text)")
  }
}
