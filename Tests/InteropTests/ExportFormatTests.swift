import AcctTestSupport
import Testing

/// The document describes the format well enough to write and read it without acct.
@Suite("An export in Python's cryptography")
struct ExportFormatTests {
  private static let script = "Tests/InteropTests/export_format.py"

  @Test("The example in the export document is as the document says")
  func example() async throws {
    let opened = try await python(Self.script, "document", Product.source("Documentation/export-format.md"))
    #expect(opened.status == 0, "\(opened.errorText)")
    #expect(opened.text == "\(try DocumentedExport().contents)\n")
  }

  @Test("An export opens in Python with the passphrase and holds the tokens and the key")
  func opens() async throws {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    try #require(added.status == 0, "\(added.errorText)")
    let folder = try TemporaryFolder()
    let exported = try await home.acct(
      "export",
      "alice.example.com",
      "-o",
      "\(folder.path)/out",
      "--passphrase-file",
      try folder.file("passphrase", containing: "pass phrase\n")
    )
    try #require(exported.status == 0, "\(exported.errorText)")

    let opened = try await python(Self.script, "open", "\(folder.path)/out", "pass phrase")
    #expect(opened.status == 0, "\(opened.errorText)")
    #expect(opened.text.contains(try await home.acct("token").text.dropLast()))
    for part in ["dpop.keypair.", #"\"d\":"#, "alice.example.com"] {
      #expect(opened.text.contains(part))
    }
    let refused = try await python(Self.script, "open", "\(folder.path)/out", "another")
    #expect(refused.errorText.contains("InvalidTag"))
  }

  @Test("An export that Python made is imported by acct")
  func taken() async throws {
    let contents = try DocumentedExport().contents
    let sealed = try await python(Self.script, "seal", "päss", input: contents)
    try #require(sealed.status == 0, "\(sealed.errorText)")
    let folder = try TemporaryFolder()
    let home = try AcctHome()
    let added = try await home.acct(
      "add",
      "--import",
      "-",
      "--passphrase-file",
      try folder.file("passphrase", containing: "päss"),
      input: sealed.text
    )
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("token", "--offline", "--min-valid", "0").text == "access-alice\n")
  }
}
