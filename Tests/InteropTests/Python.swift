import AcctTestSupport

/// Runs one of the scripts in the package's tree with the Python that `make setup` prepared.
///
/// The script is named by its path below the package's root.
func python(
  _ script: String,
  _ arguments: String...,
  input: String = ""
) async throws(ProcessFailure) -> ChildProcess.Output {
  var environment = ChildProcess.plainEnvironment
  // Leaves no compiled files in the source tree.
  environment["PYTHONDONTWRITEBYTECODE"] = "1"
  return try await ChildProcess(
    Product.source(".build/venv/bin/python"),
    [Product.source(script)] + arguments,
    environment: environment,
    input: input
  ).run()
}
