import AcctCLI
import Testing

@Suite("A QR code on the terminal")
struct QRCodeTextTests {
  @Test("A QR code has a margin, two rows on a line and drawn light modules")
  func drawing() {
    let modules = [[true, false, true], [true, true, false], [false, false, true]]
    #expect(
      qrCodeText(modules) == ["███████", "██ ▀▄██", "████▄██", "███████"]
    )
  }
}
