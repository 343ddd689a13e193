package import AcctModel
import AcctPorts

/// Makes the paths of tokens absolute, so that later commands find them from any folder.
package struct InputPaths: Sendable {
  private let folder: String?

  /// The paths of a command line: relative to the working directory.
  package init(_ context: EngineContext) { folder = context.world.environment.workingDirectory() }

  /// The paths in a document: relative to its folder.
  package init(of document: String, _ context: EngineContext) throws(EngineError) {
    let path = try InputPaths(context).absolute(document, "--credentials")
    folder = "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// A path as it means the same everywhere.
  ///
  /// - Parameters:
  ///   - path: As the user gave it.
  ///   - option: The option that has it.
  /// - Returns: The absolute path.
  /// - Throws: ``KeyringSharingError/relativePath(option:)`` if there is no working directory.
  package func absolute(_ path: String, _ option: String) throws(EngineError) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder else { throw .sharing(.relativePath(option: option)) }
    return "\(folder)/\(path)"
  }

  /// A program's line with an absolute path, if it names the program by one.
  package func absolute(_ line: ProgramLine, _ option: String) throws(EngineError) -> ProgramLine {
    guard line.program.contains("/") else { return line }
    let words = [try absolute(line.program, option)] + line.arguments
    do { return try ProgramLine(words) } catch { throw .input(.malformed(error)) }
  }
}
