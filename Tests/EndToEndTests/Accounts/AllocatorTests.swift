import AcctTestSupport
import Testing

/// The built `acct`, which brings its own `malloc` and `free`, beside another allocator.
@Suite("A preloaded allocator")
struct AllocatorTests {
  @Test("A preloaded allocator frees no block of acct and acct none of its: every command works")
  func preloaded() async throws {
    let server = try await StrictServer()
    let home = try AcctHome(with: ["LD_PRELOAD": "libjemalloc.so.2"], hasVault: false)
    let version = try await home.acct("--version")
    #expect(version.status == 0)
    #expect(version.text.hasPrefix("acct "))
    // The loader says here that it has found no such library.
    #expect(version.errorText.isEmpty, "\(version.errorText)")
    // The vault's cryptography, libcurl with all that it loads, and a renewal.
    try await home.importExpired(from: server)
    #expect(try await home.acct("token").status == 0)
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("header", "https://pds.example/xrpc/a").status == 0)
    #expect(try await home.acct("doctor", "--offline").status == 0)
    #expect(try await home.acct("list").status == 0)
  }

  @Test("The executable exports the whole malloc family, so no block changes allocators")
  func family() async throws {
    let symbols = try await ChildProcess(
      "nm",
      ["--dynamic", "--defined-only", "--format=just-symbols", Product.executable("acct")]
    ).run()
    let names = Set(symbols.text.split(separator: "\n").map(String.init))
    let family: Set = [
      "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "posix_memalign",
      "memalign", "valloc", "pvalloc", "malloc_usable_size",
    ]
    #expect(family.subtracting(names).isEmpty)
  }
}
