import Testing
import Text

@Suite("Classes of ASCII characters")
struct ASCIITests {
  /// The characters among all bytes that a class has.
  private func members(_ isMember: (UInt8) -> Bool) -> String {
    String(decoding: (0...UInt8.max).filter(isMember), as: UTF8.self)
  }

  @Test("Each class has its characters, and no other of the 256 bytes")
  func classes() {
    let (digits, capitals, small) = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    #expect(members(\.isASCIIDigit) == digits)
    #expect(members(\.isASCIICapital) == capitals)
    #expect(members(\.isASCIISmallLetter) == small)
    #expect(members(\.isASCIILetter) == capitals + small)
    #expect(members(\.isASCIIAlphanumeric) == digits + capitals + small)
    #expect(members(\.isUnreserved) == "-." + digits + capitals + "_" + small + "~")
    #expect(
      members(\.isVisibleASCII)
        == "!\"#$%&'()*+,-./" + digits + ":;<=>?@" + capitals + "[\\]^_`" + small + "{|}~"
    )
  }
}
