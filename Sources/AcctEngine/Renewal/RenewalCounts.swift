import AcctModel
package import AcctPorts
import StrictJSON

/// The renewals that this machine has made and failed to make, in a file of its own.
///
/// It is written where a renewal ends, and by nothing else. A count that can't be written is lost: no renewal fails or
/// waits for it.
package struct RenewalCounts: Equatable, Sendable {
  package private(set) var renewals: Int64 = 0
  package private(set) var failures: Int64 = 0

  /// Reads the counts; zeros without a file, or with one that is damaged.
  package init(_ world: World) {
    guard let bytes = try? world.files.read(.renewals), let file = (try? JSON(parsing: bytes))?.objectValue,
      let renewals = file["renewals"]?.numberValue?.integer, let failures = file["failures"]?.numberValue?.integer,
      (0..<Self.limit).contains(renewals), (0..<Self.limit).contains(failures)
    else { return }
    (self.renewals, self.failures) = (renewals, failures)
  }

  /// The numbers that a JSON reader keeps exactly (RFC 7493, section 2.2).
  private static let limit: Int64 = 1 << 53

  /// Counts the end of a renewal.
  static func count(isFailure: Bool, in world: World) async {
    guard let held = try? await world.files.lock(.renewals, 2) else { return }
    defer { held.release() }
    var counts = RenewalCounts(world)
    if isFailure { counts.failures += 1 } else { counts.renewals += 1 }
    let file: JSON = ["version": 1, "renewals": JSON(counts.renewals), "failures": JSON(counts.failures)]
    try? world.files.replace(.renewals, file.serialized())
  }
}
