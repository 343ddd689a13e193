// swift-tools-version: 6.2
import PackageDescription

/// Every room is built under the same law; no target may weaken it.
let houseRules: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// A room of the house: a library target under the house rules.
///
/// What `forSize` is compiled for takes less space, and hardly more time where it runs once in a command. What is
/// `reflected` has the names of its types' members in the binary, which ArgumentParser and tests read.
func room(
  _ name: String,
  _ dependencies: [Target.Dependency] = [],
  linking: [LinkerSetting] = [],
  embedding: [String] = [],
  forSize: Bool = false,
  reflected: Bool = false
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    resources: embedding.map { .embedInCode($0) },
    swiftSettings: houseRules + (forSize ? [.unsafeFlags(["-Osize"], .when(configuration: .release))] : [])
      + (reflected
        ? [] : [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))]),
    linkerSettings: linking
  )
}

/// Tests are not optimized: that takes longer than it saves.
let testRules = houseRules + [.unsafeFlags(["-Onone"])]

/// The largest room of tests needs all others, and is compiled last and alone: in batches, on all cores.
let lastTestRules = testRules + [.unsafeFlags(["-no-whole-module-optimization", "-enable-batch-mode"])]

/// The tests of a room; spec vectors lie beside them in `Vectors`, as data.
func tests(_ name: String, _ dependencies: [Target.Dependency], vectors: Bool = false, data: String? = nil) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies,
    resources: [vectors ? "Vectors" : nil, data].compactMap(\.self).map { .copy($0) },
    swiftSettings: testRules
  )
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let structuredFields = Target.Dependency.product(
  name: "RawStructuredFieldValues",
  package: "swift-http-structured-headers"
)

/// A part of SwiftNIO.
func nio(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-nio") }

/// libFuzzer brings a `main` of its own, so this one is built for nothing else; see `.ci/fuzz`.
let fuzzer: [Target] =
  Context.environment["ACCT_FUZZ"] == nil
  ? []
  : [.executableTarget(name: "Fuzzer", dependencies: ["FuzzTargets"], path: "Tests/Fuzzer", swiftSettings: houseRules)]

/// A measurement within one process, built for nothing else; see `Benchmarks/proof`.
let measurements: [Target] =
  Context.environment["ACCT_BENCH"] == nil
  ? []
  : [
    .executableTarget(
      name: "proof",
      dependencies: ["AcctModel", "Release", "Secrets", "StrictJSON", "AcctCrypto", "AcctProtocol", "COpenSSL"],
      path: "Benchmarks/proof",
      swiftSettings: houseRules
    )
  ]

/// What lets acct start quickly.
///
/// A static library takes no time to load: Swift's own, the unwinder, and that of C++, which the file names.
/// Relocations are packed into a twentieth (DT_RELR), no table of exported symbols is read, and mathematics that nothing calls
/// is not looked up (see Documentation/design/startup.md).
let quickStart: [LinkerSetting] = [
  // SwiftPM's own option applies to all targets. The tests need Swift's shared libraries, since Testing is one, and
  // would have to be a build of their own.
  .unsafeFlags(["-static-stdlib"]),
  // What FoundationEssentials needs, which only that option names.
  .linkedLibrary("_FoundationCollections"), .linkedLibrary("_FoundationCShims"),
  .unsafeFlags([
    "-Xclang-linker", "-static-libgcc",
    "-Xclang-linker", "--config=\(Context.packageDirectory)/packaging/libstdc++.cfg",
  ]),
  // As distributions link: texts that end alike are one.
  .unsafeFlags(["-use-ld=lld", "-Xlinker", "-O2"]),
  .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]),
  .unsafeFlags(["-Xlinker", "--no-export-dynamic"]),
  // Not for speed: see Sources/CArguments/workers.c.
  .unsafeFlags(["-Xlinker", "--wrap=_dispatch_workq_worker_register"]),
  .unsafeFlags(["-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/packaging/unused-mathematics.ld"]),
]

/// How acct is linked, in debug and in release.
///
/// A sanitizer needs shared libraries and exported symbols to stand in for; see `.ci/sanitize`.
let acctLinking: [LinkerSetting] =
  (Context.environment["ACCT_SANITIZE"] == nil ? quickStart : []) + [
    // Every symbol is bound at the start. Bound at its first call, a function has the registers saved
    // to the stack, with whatever secret was being copied through them, where it stays.
    .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])
  ]

/// The packages that acct is built with.
///
/// A release's source archive has them in `vendor`, for builds without network: see packaging/source. The variable is that of
/// Swift's own packages, which then look for theirs beside themselves.
let dependencies: [Package.Dependency] =
  Context.environment["SWIFTCI_USE_LOCAL_DEPS"] != nil
  ? ["swift-argument-parser", "swift-nio", "swift-http-structured-headers"].map { .package(path: "vendor/\($0)") }
  : [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
  ]

let package = Package(
  name: "acct",
  products: [
    .executable(name: "acct", targets: ["acct"]),
    // Tests only: preloaded into acct, to let its system calls fail.
    .library(name: "Faults", type: .dynamic, targets: ["Faults"]),
  ],
  dependencies: dependencies,
  targets: [
    // System libraries: a module map and a shim, nothing else.
    // A .pc file of its own: libsecret's headers without linking the library, which is loaded at the
    // first prompt. (SwiftPM warns of GLib's -pthread, which it drops; nothing needs it.)
    .systemLibrary(
      name: "CLibSecret",
      pkgConfig: "\(Context.packageDirectory)/Sources/CLibSecret/libsecret-headers.pc",
      providers: [.apt(["libsecret-1-dev"])]
    ),
    // Headers only: AcctCrypto names the library.
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CLinux"),
    // No pkgConfig: it would link the library, which is loaded at the first request instead.
    .systemLibrary(name: "CLibCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    // The same for libpq: loaded when the keyring is on PostgreSQL.
    .systemLibrary(name: "CLibPQ", providers: [.apt(["libpq-dev"])]),
    // The same for libexpat: loaded when an answer is XML.
    .systemLibrary(name: "CExpat", providers: [.apt(["libexpat1-dev"])]),
    // The header of PKCS#11: a module is loaded when a key in it is used.
    .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),

    // The free(3) of the whole process, which wipes; in C, since Swift's own runtime calls it.
    .target(name: "CWipingFree"),
    .target(name: "CArguments"),

    // Rooms, from the cellar up. A target may depend only on targets above it in this list.
    room("Text"),
    room("Secrets", ["Text"], forSize: true, reflected: true),
    room("AcctModel", ["Secrets", "Text"], forSize: true, reflected: true),
    // The door: what a token may be used for, and by whom.
    room("Release", ["AcctModel", "Secrets", "Text"], forSize: true),
    room("StrictJSON", ["Text"]),
    // The static library takes no time to load. Without libssl-dev the linker says that it is missing.
    room(
      "AcctCrypto",
      ["Secrets", "COpenSSL"],
      linking: [.linkedLibrary(":libcrypto.a")],
      forSize: true,
      reflected: true
    ),
    // The providers' files, and the words for ends of sessions, become code: nothing is looked for, and read only when it
    // is asked for.
    room(
      "AcctProtocol",
      ["AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctCrypto", structuredFields],
      embedding: ["Providers/Shipped", "Providers/keys.json", "OAuth/session-ends.json"],
      forSize: true,
      reflected: true
    ),
    room("AcctPorts", ["AcctModel", "Release", "Secrets"], forSize: true, reflected: true),
    // What AcctDevices asks of a TPM and of tokens.
    room("KeyDevices", ["AcctModel", "Secrets", "Text", "AcctPorts"], forSize: true),
    // What AcctFleet asks of a keyring that several machines share, and this one of an engine.
    room("FleetPorts", ["AcctModel", "Secrets", "Text", "AcctPorts"], forSize: true),
    room(
      "AcctEngine",
      ["AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctProtocol", "AcctPorts"],
      forSize: true
    ),

    // Adapters, one per port family; none knows another, but for Vault.
    room("PrivateFiles", ["Text", "CLinux"], forSize: true),
    room("SessionBus", ["AcctModel", "Secrets", "Text"]),
    room(
      "SecretServiceKeyring",
      ["AcctModel", "Secrets", "Text", "AcctPorts", "PrivateFiles", "SessionBus", "CLibSecret"],
      forSize: true
    ),
    // The vault of this machine, and the key of a vault, which a shared keyring has as well.
    room(
      "Vault",
      ["AcctModel", "Secrets", "Text", "AcctPorts", "StrictJSON", "AcctCrypto", "PrivateFiles", "CLinux"],
      forSize: true
    ),
    room(
      "SharedKeyring",
      [
        "AcctModel", "Secrets", "Text", "AcctPorts", "FleetPorts", "StrictJSON", "AcctCrypto", "PrivateFiles", "Vault",
      ],
      forSize: true
    ),
    // libcurl begins once in a process, whichever adapter needs it first.
    room("Curl", ["AcctModel", "Secrets", "CLibCurl", "PrivateFiles"], forSize: true),
    room(
      "EtcdStore",
      ["AcctModel", "Secrets", "Text", "AcctPorts", "FleetPorts", "PrivateFiles", "Curl", "CLibCurl"],
      forSize: true
    ),
    room(
      "PostgresStore",
      ["AcctModel", "Secrets", "Text", "AcctPorts", "FleetPorts", "PrivateFiles", "CLibPQ"],
      forSize: true
    ),
    room("TPM", ["AcctModel", "Secrets", "AcctPorts", "KeyDevices", "PrivateFiles"], forSize: true),
    room(
      "PKCS11",
      ["AcctModel", "Secrets", "AcctPorts", "KeyDevices", "CPKCS11", "PrivateFiles"],
      forSize: true,
      reflected: true
    ),
    room("Expat", ["AcctModel", "Secrets", "AcctPorts", "CExpat"], forSize: true),
    room("LiveSystem", ["AcctModel", "Secrets", "Text", "AcctPorts", "PrivateFiles", "CLinux"], forSize: true),

    room(
      "LiveHTTP",
      [
        "AcctModel", "Secrets", "Text", "AcctPorts", "Curl", "CLibCurl", nio("NIOCore"), nio("NIOPosix"),
        nio("NIOHTTP1"),
      ],
      reflected: true
    ),

    // What every command has: its context, its shared options, the screen, the words for failures.
    room(
      "AcctConsole",
      [
        "AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctProtocol", "AcctPorts", "AcctEngine",
        argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    // An annex: a subject whole, from its part of the protocols to its commands and words. No annex knows another.
    room(
      "AcctPrograms",
      [
        "AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctCrypto", "AcctProtocol", "AcctPorts",
        "AcctEngine", "AcctConsole", argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    room(
      "AcctDevices",
      [
        "AcctModel", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "KeyDevices", "AcctEngine", "AcctConsole",
        argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    room(
      "AcctFleet",
      [
        "AcctModel", "Release", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "FleetPorts", "AcctEngine",
        "AcctConsole",
        argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    room(
      "AcctRequests",
      [
        "AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctCrypto", "AcctProtocol", "AcctPorts",
        "AcctEngine", "AcctConsole", argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    room(
      "AcctApps",
      [
        "AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctProtocol", "AcctPorts", "AcctEngine",
        "AcctConsole", argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    room(
      "AcctCLI",
      [
        "AcctModel", "Release", "Secrets", "Text", "StrictJSON", "AcctProtocol", "AcctPorts", "KeyDevices",
        "FleetPorts", "AcctEngine", "AcctConsole", "AcctApps", "AcctDevices", "AcctFleet", "AcctPrograms",
        "AcctRequests",
        argumentParser,
      ],
      forSize: true,
      reflected: true
    ),
    .executableTarget(
      name: "acct",
      dependencies: [
        "AcctCLI", "AcctConsole", "AcctFleet", "AcctPorts", "CArguments", "CWipingFree", "Curl", "EtcdStore", "Expat",
        "FleetPorts", "KeyDevices", "LiveHTTP", "LiveSystem", "PKCS11", "PostgresStore", "SecretServiceKeyring",
        "SharedKeyring",
        "TPM", "Vault",
      ],
      swiftSettings: houseRules,
      linkerSettings: acctLinking
    ),

    // Tests.
    .target(
      name: "AcctTestSupport",
      dependencies: [
        "AcctModel", "Release", "Secrets", "AcctPorts", "KeyDevices", "FleetPorts", "StrictJSON", "AcctCrypto",
        "AcctProtocol",
        "Expat", "Vault", "COpenSSL",
      ],
      path: "Tests/AcctTestSupport",
      swiftSettings: testRules
    ),
    .target(name: "Faults", path: "Tests/Torture", exclude: ["README.md"]),
    // One operation on a token: a module's tokens are those of its process, and of that one's environment.
    .executableTarget(
      name: "TokenTool",
      dependencies: ["AcctModel", "Secrets", "AcctPorts", "KeyDevices", "PKCS11", "PrivateFiles"],
      path: "Tests/TokenTool",
      swiftSettings: testRules
    ),
    tests("TextTests", ["Text"]),
    tests("SecretsTests", ["Secrets"]),
    tests("AcctModelTests", ["AcctModel", "Secrets", "AcctTestSupport"], vectors: true),
    tests("ReleaseTests", ["AcctModel", "Release", "Secrets", "AcctTestSupport"]),
    tests("StrictJSONTests", ["StrictJSON"]),
    tests("AcctCryptoTests", ["Secrets", "AcctCrypto", "AcctTestSupport"], vectors: true),
    tests(
      "AcctProtocolTests",
      ["AcctModel", "Release", "Secrets", "StrictJSON", "AcctCrypto", "AcctProtocol", "AcctTestSupport"],
      vectors: true
    ),
    tests(
      "AcctEngineTests",
      ["AcctModel", "Release", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "AcctEngine", "AcctTestSupport"]
    ),
    tests(
      "AcctProgramsTests",
      [
        "AcctModel", "Release", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "AcctEngine", "AcctPrograms",
        "AcctTestSupport",
      ]
    ),
    tests(
      "AcctRequestsTests",
      [
        "AcctModel", "Secrets", "AcctProtocol", "AcctPorts", "AcctEngine", "AcctConsole", "AcctRequests",
        "AcctTestSupport",
      ]
    ),
    tests(
      "AcctAppsTests",
      [
        "AcctModel", "Release", "Secrets", "AcctProtocol", "AcctPorts", "AcctEngine", "AcctApps", "AcctTestSupport",
      ]
    ),
    tests(
      "AcctDevicesTests",
      [
        "AcctModel", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "KeyDevices", "AcctEngine", "AcctDevices",
        "AcctTestSupport",
      ]
    ),
    tests(
      "AcctFleetTests",
      [
        "AcctModel", "Release", "Secrets", "StrictJSON", "AcctProtocol", "AcctPorts", "FleetPorts", "AcctEngine",
        "AcctFleet", "AcctTestSupport",
      ]
    ),
    .testTarget(
      name: "AcctCLITests",
      dependencies: [
        "AcctModel", "Release", "Secrets", "StrictJSON", "AcctCrypto", "AcctProtocol", "AcctPorts", "AcctEngine",
        "AcctConsole", "AcctApps", "AcctFleet", "AcctPrograms", "AcctRequests", "AcctCLI", "KeyDevices", "FleetPorts",
        "AcctTestSupport", argumentParser,
      ],
      exclude: ["Screens"],
      swiftSettings: lastTestRules
    ),
    tests("PrivateFilesTests", ["AcctModel", "Secrets", "AcctPorts", "PrivateFiles", "LiveSystem", "CLinux"]),
    tests(
      "VaultTests",
      [
        "AcctModel", "Secrets", "AcctPorts", "KeyDevices", "AcctCrypto", "AcctTestSupport", "PrivateFiles",
        "StrictJSON",
        "Vault",
      ]
    ),
    tests(
      "SharedKeyringTests",
      [
        "AcctCrypto", "AcctModel", "Secrets", "AcctPorts", "AcctTestSupport", "FleetPorts", "PrivateFiles",
        "SharedKeyring", "StrictJSON", "Vault",
      ]
    ),
    .testTarget(
      name: "LiveHTTPTests",
      dependencies: [
        "AcctCrypto", "AcctModel", "Release", "Secrets", "AcctPorts", "AcctTestSupport", "LiveHTTP", nio("NIOCore"),
        nio("NIOPosix"), nio("NIOHTTP1"),
      ],
      exclude: ["tls_front.py"],
      swiftSettings: testRules
    ),
    tests("SessionBusTests", ["Secrets", "SessionBus"]),
    tests("TPMTests", ["AcctModel", "AcctCrypto", "Secrets", "AcctPorts", "KeyDevices", "AcctTestSupport", "TPM"]),
    .testTarget(name: "PKCS11Tests", dependencies: ["AcctTestSupport"], exclude: ["Modules"], swiftSettings: testRules),
    tests("PostgresStoreTests", ["AcctPorts", "FleetPorts", "AcctTestSupport", "PostgresStore"]),
    tests(
      "KeyringContractTests",
      [
        "AcctCrypto", "AcctEngine", "AcctModel", "Secrets", "AcctPorts", "AcctTestSupport", "EtcdStore",
        "FleetPorts", "PostgresStore", "PrivateFiles", "SecretServiceKeyring", "SharedKeyring", "Vault",
      ]
    ),
    tests("EtcdStoreTests", ["Secrets", "AcctPorts", "FleetPorts", "EtcdStore"]),
    tests("SharedStoreTests", ["AcctPorts", "FleetPorts", "AcctTestSupport", "EtcdStore", "PostgresStore"]),
    .testTarget(
      name: "InteropTests",
      dependencies: ["AcctModel", "AcctProtocol", "AcctPrograms", "Secrets", "AcctTestSupport", "StrictJSON"],
      exclude: ["Doorkeeper", "Glewlwyd", "LongForm/Scripts", "MCP", "NanoIDP", "export_format.py"],
      swiftSettings: testRules
    ),
    tests(
      "EndToEndTests",
      [
        "AcctCrypto", "AcctModel", "Secrets", "AcctPorts", "AcctTestSupport", "EtcdStore", "FleetPorts",
        "PostgresStore", "PrivateFiles", "SharedKeyring", "StrictJSON", "Vault",
      ]
    ),
    tests("ShellTests", ["AcctEngine", "AcctConsole", "AcctCLI", "StrictJSON", "AcctTestSupport", argumentParser]),

    // The parsers of outside data, as targets of a fuzzer and of a test with mutated inputs.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "AcctModel", "Release", "Secrets", "AcctPorts", "StrictJSON", "AcctProtocol", "AcctEngine", "AcctApps",
        "AcctFleet",
        "AcctPrograms", "AcctRequests", "EtcdStore", "Expat", "FleetPorts", "KeyDevices", "SessionBus", "SharedKeyring",
        "TPM", "Vault",
      ],
      path: "Tests/FuzzTargets",
      swiftSettings: testRules
    ),
    tests("FuzzTests", ["FuzzTargets", "AcctTestSupport"], data: "Corpus"),
  ] + fuzzer + measurements,
  swiftLanguageModes: [.v6]
)
