import Foundation

/// The inputs that lie beside the tests, a folder for each target.
enum Corpus {
  /// Reads the inputs of a target, in the order of their names.
  ///
  /// - Parameter target: The name of its folder.
  /// - Returns: The inputs.
  /// - Throws: What the file system says.
  static func inputs(of target: String) throws -> [[UInt8]] {
    let folder = Bundle.module.bundleURL.appending(path: "Corpus/\(target)")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
  }
}
