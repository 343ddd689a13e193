import AcctModel
import Glibc
import PrivateFiles

/// The modules that p11-kit is configured to load (pkcs11.conf(5)).
///
/// p11-kit itself is not asked: it would load every one of them to find one token, and say on standard error
/// which of them it could not.
package struct ModuleConfiguration: Sendable {
  /// The folders with a file for each module; the settings of an earlier one win.
  let folders: [String]
  /// The folders of modules that are named without a folder.
  let libraries: [String]

  package init(folders: [String], libraries: [String]) {
    self.folders = folders
    self.libraries = libraries
  }

  /// The configuration of this machine; `variable` returns an environment variable.
  package static func live(_ variable: (_ name: String) -> String?) -> ModuleConfiguration {
    #if arch(arm64)
    let architecture = "aarch64"
    #else
    let architecture = "x86_64"
    #endif
    func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let home = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { "\($0)/.config" }
    return ModuleConfiguration(
      folders: [
        home.map { "\($0)/pkcs11/modules" }, "/etc/pkcs11/modules", "/usr/share/p11-kit/modules",
      ].compactMap(\.self),
      libraries: ["/usr/lib/\(architecture)-linux-gnu/pkcs11", "/usr/lib64/pkcs11", "/usr/lib/pkcs11"]
    )
  }

  /// The paths of the modules that may have keys, those of the highest priority first.
  func modules() -> [String] {
    var files: [String: [String: String]] = [:]
    for folder in folders {
      for name in names(in: folder) {
        files[name, default: [:]].merge(settings(of: "\(folder)/\(name)")) { first, _ in first }
      }
    }
    let ordered = files.sorted { left, right in
      let (first, second) = (priority(left.value), priority(right.value))
      return first == second ? left.key < right.key : first > second
    }
    var seen: Set<String> = []
    return ordered.compactMap { path(of: $0.value) }.filter { seen.insert($0).inserted }
  }

  private func priority(_ settings: [String: String]) -> Int { settings["priority"].flatMap { Int($0) } ?? 0 }

  /// The path of a module; `nil` if there is none, or it is not for keys, or not for this program.
  private func path(of settings: [String: String]) -> String? {
    guard let module = settings["module"], !module.isEmpty, settings["trust-policy"] != "yes",
      !contains(settings["disable-in"]), settings["enable-in"] == nil || contains(settings["enable-in"])
    else { return nil }
    if module.hasPrefix("/") { return module }
    let places = libraries.map { "\($0)/\(module)" }
    return places.first { unsafe access($0, F_OK) == 0 } ?? places.first
  }

  private func contains(_ programs: String?) -> Bool {
    programs?.split { $0 == "," || $0.isWhitespace }.contains("acct") ?? false
  }

  private func names(in folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".module"), !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  /// The settings of a file, as lines of `NAME: VALUE`; none of one that can't be read, as p11-kit has it, too.
  private func settings(of file: String) -> [String: String] {
    guard let bytes = try? Descriptor.trustedBytes(file, .genuine, limit: 65_536) else { return [:] }
    var settings: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = trimmed(line)
      guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { continue }
      settings[trimmed(line[..<colon])] = trimmed(line[line.index(after: colon)...])
    }
    return settings
  }
}

private func trimmed(_ text: Substring) -> String {
  String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
}

private func trimmed(_ text: String) -> String { trimmed(text[...]) }
