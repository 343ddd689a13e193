import Secrets
import Testing

@Suite("Secrets")
struct SecretTests {
  @Test("A secret never prints itself, whatever contains it")
  func redaction() {
    let secret = Secret("marker")
    struct Holder { let secret: Secret? }
    let holder = Holder(secret: secret)
    var dumped = ""
    dump([secret], to: &dumped)
    dump(holder, to: &dumped)
    for text in [
      "\(secret)", String(reflecting: secret), "\([secret])", "\(holder)", dumped,
      String(reflecting: holder), "\(String(describing: Optional(secret)))",
    ] {
      #expect(!text.contains("marker"))
      #expect(text.contains("redacted"))
    }
  }

  @Test("A secret returns the bytes that it was made from")
  func bytes() {
    let secret = Secret("añb")
    #expect(secret.count == 4)
    #expect(secret.withBytes { $0[1] } == 0xC3)
    #expect(secret == Secret([0x61, 0xC3, 0xB1, 0x62]))
    #expect(Secret(joining: [Secret("DPoP "), Secret(""), Secret("t")]) == Secret("DPoP t"))
  }

  @Test("A comparison of secrets considers every byte")
  func equality() {
    #expect(Secret("") == Secret([] as [UInt8]))
    #expect(Secret("abc") != Secret("abd"))
    #expect(Secret("abc") != Secret("xbc"))
    #expect(Secret("abc") != Secret("ab"))
  }

  @Test("Wiping a secret leaves the array that it was copied from unchanged")
  func copies() {
    let original = (0..<64).map { UInt8($0) }
    var second = original
    var third = Array(original)
    do {
      _ = Secret(original)
      _ = Secret(original[...])
      _ = Secret(consuming: &second)
      _ = Secret(original.span)
    }
    #expect(original == (0..<64).map { UInt8($0) })
    #expect(second.isEmpty)
    _ = Secret(consuming: &third)
    #expect(original == (0..<64).map { UInt8($0) })
  }

  @Test("Consuming a secret leaves nothing behind")
  func consuming() {
    var bytes: [UInt8] = [1, 2, 3]
    let secret = Secret(consuming: &bytes)
    #expect(bytes.isEmpty)
    #expect(secret == Secret([1, 2, 3]))
  }
}
