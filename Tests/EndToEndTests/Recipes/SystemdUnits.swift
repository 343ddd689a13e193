import AcctTestSupport
import Testing

/// Asserts that systemd takes a service and its timer of `Examples/systemd` without a message.
///
/// - Parameters:
///   - name: The name of both, without what follows the dot.
///   - script: The script that the service runs, which is installed for it.
/// - Throws: ``ProcessFailure``, or the failure of a requirement.
func expectVerified(unitsOf name: String, running script: String) async throws {
  let folder = try TemporaryFolder()
  let installed = try await ChildProcess("install", ["-D", "-m", "755", script, "\(folder.path)/.local/bin/\(name)"])
    .run()
  try #require(installed.status == 0)
  var environment = ChildProcess.plainEnvironment
  environment["HOME"] = folder.path
  environment["XDG_RUNTIME_DIR"] = folder.path
  let units = ["service", "timer"].map { Product.source("Examples/systemd/\(name).\($0)") }
  let verified = try await ChildProcess(
    "systemd-analyze",
    ["--user", "--man=no", "verify"] + units,
    environment: environment
  ).run()
  #expect(verified.status == 0)
  #expect(verified.text + verified.errorText == "")
}
