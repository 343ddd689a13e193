import AcctModel
import AcctPrograms
import AcctProtocol
import Secrets
import StrictJSON

/// Settings files of other programs: a change is made once, keeps everything else, and is undone.
func settingsViolation(_ bytes: [UInt8]) -> String? {
  let contents = Secret(bytes)
  _ = try? Kubeconfig(contents)
  for host in [nil, "r.example"] {
    guard let edited = try? DockerConfig.adding(host, to: contents) else { continue }
    if let violation = violation(of: edited, from: contents) { return "docker: \(violation)" }
    guard isUnchanged({ try DockerConfig.adding(host, to: edited.contents) }) else { return "docker: added twice" }
    let without = edited.changes.first.flatMap { try? DockerConfig.removing($0, from: edited.contents) }
    guard let without else { return "docker: not removed" }
    guard contents.members == edited.contents.members, contents.members == without.members else {
      return "docker: other members differ"
    }
  }
  for origin in [nil, try? Origin("https://r.example")] {
    guard let edited = try? CargoConfig.adding(origin, to: contents) else { continue }
    if let violation = violation(of: edited, from: contents) { return "cargo: \(violation)" }
    guard isUnchanged({ try CargoConfig.adding(origin, to: edited.contents) }) else { return "cargo: added twice" }
    for change in edited.changes {
      guard (try? CargoConfig.removing(change, from: edited.contents)) != nil else { return "cargo: not removed" }
    }
  }
  if let edited = try? TerraformConfig.adding(to: contents) {
    if let violation = violation(of: edited, from: contents) { return "terraform: \(violation)" }
    guard isUnchanged({ try TerraformConfig.adding(to: edited.contents) }) else { return "terraform: added twice" }
    guard let without = try? TerraformConfig.removing(from: edited.contents),
      isUnchanged({ try TerraformConfig.removing(from: without).map { EditedSettings($0, []) } })
    else { return "terraform: not removed" }
  }
  for profile in ["acct", "default"] {
    guard let process = AWSConfig.process(of: profile, in: contents) else { continue }
    let change = SettingChange("", process)
    guard let without = AWSConfig.removing(change, of: profile, from: contents), without.count < contents.count else {
      return "aws: not removed"
    }
  }
  if let change = FileChange(try? JSON(parsing: bytes)) {
    guard FileChange(change.json) == change else { return "a record that reads otherwise when written" }
    _ = change.undone(contents)
  }
  return nil
}

/// `true` if a change finds nothing to do.
private func isUnchanged(_ change: () throws -> EditedSettings?) -> Bool {
  do { return try change() == nil } catch { return false }
}

private func violation(of edited: EditedSettings, from contents: Secret) -> String? {
  let diff = LineDiff(from: contents, to: edited.contents)
  guard FileChange(diff).undone(edited.contents) == FileChange.Undone(contents: contents, isExact: true) else {
    return "not undone"
  }
  // A value that is replaced may be written with escapes.
  guard edited.changes.allSatisfy({ $0.replaced == nil }) else { return nil }
  return diff.lost(replacing: []).isEmpty ? nil : "other lines are lost"
}

extension Secret {
  /// The members of a JSON object, but for those of credential helpers.
  fileprivate var members: [String] {
    let json = try? withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    return (json?.objectValue ?? [:]).filter { !["credsStore", "credHelpers"].contains($0.name) }
      .map { "\($0.name) \(String(decoding: $0.value.serialized(), as: UTF8.self))" }
  }
}
