/// A PKCS#11 module that misbehaves, and has one token with one key else (Tests/PKCS11Tests/Modules/hostile.c).
package enum HostileModule {
  /// Compiles the module with some faults, and returns a URI that names its token.
  package static func uri(_ faults: [String], in folder: TemporaryFolder) async throws -> String {
    let path = "\(folder.path)/hostile.so"
    let source = Product.source("Tests/PKCS11Tests/Modules/hostile.c")
    let compiled = try await ChildProcess(
      "clang",
      ["-shared", "-fPIC", "-w", "-o", path] + faults.map { "-D\($0)" } + [source]
    ).run()
    guard compiled.status == 0 else { throw HarnessFailure(compiled.errorText) }
    return "pkcs11:token=hostile?module-path=\(path)"
  }
}
