import AcctPorts
import AcctTestSupport
import FleetPorts
import Testing

/// A real engine under a shared keyring, and all that can happen to it.
protocol SharedEngine: Sendable {
  /// Where it is and how to get in, as `acct keyring create` is told.
  var place: [String] { get }
  /// The same for a client that may not get in: one without a certificate, or with another password.
  var placeOfStranger: [String] { get }
  /// Who issued its certificates.
  var authority: MadeUpAuthority { get }
  /// A client of it, beside acct's own.
  func store() throws -> SharedStore
  /// The folders in which it keeps its data.
  var folders: [String] { get }

  /// Strikes the member that leads; the others, if there are any, go on.
  func strike(_ blow: Blow) async throws
  /// Takes away so much of it that it agrees to nothing more.
  func takeAway() async throws
  /// Undoes all of that, and returns when it serves.
  func bringBack() async throws
  /// Keeps a copy of all that it has, as operators do.
  func backUp() async throws
  /// Goes back to that copy.
  func restore() async throws
  /// Throws away what is no longer needed.
  func compact() async throws
  /// All that it has, as its own tool prints it.
  func dump() async throws -> [UInt8]
}

/// What happens to a member.
enum Blow: String, CaseIterable, CustomTestStringConvertible {
  case killed
  case frozen
  case cutOff = "cut off"

  var testDescription: String { rawValue }
}

/// The engines that there are.
enum EngineKind: String, CaseIterable, CustomTestStringConvertible {
  case etcd, postgres

  var testDescription: String { rawValue }

  /// Does something on each of them at the same time: most of it is waiting.
  static func each(_ body: @escaping @Sendable (EngineKind) async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      for kind in allCases { group.addTask { try await body(kind) } }
      try await group.waitForAll()
    }
  }

  /// Starts a new one.
  ///
  /// - Parameter cables: Whether its members can be cut off; where the user may not do that, the test is cancelled.
  /// - Returns: It, when it serves.
  /// - Throws: What starting it throws.
  func start(cables: Bool = false) async throws -> any SharedEngine {
    switch self {
    case .etcd: try await EtcdEngine(in: cables ? try await Self.networks() : nil)
    case .postgres: try await PostgresEngine()
    }
  }

  /// The one that all tests of this process use that take it as it is, or bring it back to that.
  ///
  /// - Returns: It, when it serves, whatever the last test did to it.
  /// - Throws: What starting it throws.
  func ofSuite() async throws -> any SharedEngine {
    let engine = try await (self == .etcd ? Self.etcdOfSuite : Self.postgresOfSuite).value
    try await engine.bringBack()
    return engine
  }

  private static let etcdOfSuite = Task { try await EngineKind.etcd.start() }
  private static let postgresOfSuite = Task { try await EngineKind.postgres.start() }

  private static func networks() async throws -> SeparateNetworks {
    do { return try await SeparateNetworks(members: 3) } catch {
      try Test.cancel("needs the right to make network namespaces, and ip(8): \(error)")
    }
  }
}
