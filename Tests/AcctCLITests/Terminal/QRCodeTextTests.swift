import AcctCLI
import Testing

@Suite("A QR code on the terminal")
struct QRCodeTextTests {
  @Test("stands in a margin, two rows on a line, the light modules drawn")
  func drawing() {
    let modules = [
      [true, false, true],
      [true, true, false],
      [false, false, true],
    ]
    #expect(
      qrCodeText(modules) == [
        "███████",
        "██ ▀▄██",
        "████▄██",
        "███████",
      ]
    )
  }
}
