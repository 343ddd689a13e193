import AcctTestSupport
import Glibc
import Testing

@Suite("The module of a URI that names none")
struct ModuleConfigurationTests {
  @Test("The configured modules are asked, but those for trust, for other programs, and without a file")
  func configured() async throws {
    let hsm = try await SoftHSM()
    let folder = try TemporaryFolder()
    let tool = try TokenTool(hsm)
    func answer(_ uri: String = "pkcs11:token=acct") async throws -> String {
      try await tool.answer("take", uri, "modules=\(folder.path)", "libraries=/usr/lib/softhsm")
    }
    let none = try await answer()
    #expect(none.hasPrefix("failure absent(reason: \"no PKCS#11 module is configured"))
    _ = try folder.file("a.module", containing: "# a comment\nmodule:  /nonexistent/a.so\n")
    _ = try folder.file("b.module", containing: "module: libsofthsm2.so\ntrust-policy: yes\n")
    _ = try folder.file("c.module", containing: "module: libsofthsm2.so\ndisable-in: ssh, acct\n")
    _ = try folder.file("d.module", containing: "module: libsofthsm2.so\nenable-in: seahorse\n")
    _ = try folder.file("e.module", containing: "module:\n")
    _ = try folder.file("f.conf", containing: "module: libsofthsm2.so\n")
    #expect(try await answer().hasPrefix("failure unsuitable("))
    // Others can write it, so it counts for nothing.
    let open = try folder.file("open.module", containing: "module: libsofthsm2.so\npriority: 9\n")
    try #require(unsafe chmod(open, 0o666) == 0)
    #expect(try await answer().hasPrefix("failure unsuitable("))
    _ = try folder.file("g.module", containing: " module : libsofthsm2.so \npriority: 3\n")
    let made = try #require(PrintedKey(try await answer()))
    #expect(made.uri.contains("module-path=\(SoftHSM.module)"))
    #expect(PrintedKey(try await answer("pkcs11:?module-name=softhsm2"))?.isNew == false)
    let other = try await answer("pkcs11:?module-name=opensc-pkcs11")
    #expect(other.hasPrefix("failure absent("))
  }
}
