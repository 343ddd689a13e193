package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// The role whose keys a profile gets.
package struct SetupRole: Sendable {
  package let profile: String
  /// The account whose token obtains them, as it is now.
  let account: Account
  /// The token service.
  let service: Origin
  /// The command of `credential_process`.
  let command: String

  /// - Parameters:
  ///   - arn: The role's Amazon resource name.
  ///   - profile: The profile's name.
  ///   - reference: The account that the user named; `nil` for the one that commands use.
  ///   - context: Everything outside.
  /// - Throws: ``SetupError/role(_:)``, ``SetupError/profile(_:)``, and the errors of a selection.
  package init(
    _ arn: String,
    _ profile: String,
    of reference: String?,
    _ context: EngineContext
  ) async throws(EngineError) {
    guard OutputFormat.shellWord.isBare(profile) else { throw .setup(.profile(profile)) }
    account = try await Selection(context).choose(reference).account
    let variable = context.world.environment.variable
    let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION")
    let words = ["--role-arn", arn] + (region.map { ["--region", $0] } ?? [])
    do throws(HelperFlaw) {
      guard case .assume(let request) = try AWSCredentialProcess(HelperQuestion(words, variable: variable)).task
      else { throw .missing("--role-arn") }
      service = request.endpoint.origin
    } catch {
      throw .setup(.role(error == .value("--region") ? region ?? "" : arn))
    }
    let line = ["acct", "helper", "aws", "--account", account.name.description] + words
    do { command = try line.map(OutputFormat.shellWord.written).joined(separator: " ") } catch {
      throw EngineError(error)
    }
    self.profile = profile
  }
}

/// A profile of AWS's configuration, changed by `aws configure set`.
struct AWSSettings: ProgramSettings {
  let tool: SettingsTool
  /// `nil` to take changes back.
  let role: SetupRole?

  private static let prefix = "profile."
  private static let suffix = ".\(AWSConfig.setting)"

  func adding(to contents: Secret?) async throws(EngineError) -> EditedSettings? {
    guard let role else { return EditedSettings(contents ?? Secret(""), []) }
    let earlier = contents.flatMap { AWSConfig.process(of: role.profile, in: $0) }
    guard earlier != role.command else { return nil }
    let (after, _) = try await tool.onCopy(of: contents) { (copy) async throws(EngineError) in
      try await tool.require(
        ["configure", "set", AWSConfig.setting, role.command, "--profile", role.profile],
        ["-u", "AWS_PROFILE", "AWS_CONFIG_FILE=\(copy)", "AWS_SHARED_CREDENTIALS_FILE=/dev/null"]
      )
    }
    let change = SettingChange(Self.prefix + role.profile + Self.suffix, role.command, replacing: earlier)
    return EditedSettings(after, [change])
  }

  func remarks(_ contents: Secret?) throws(EngineError) -> [SetupRemark] {
    guard let role else { return [] }
    let setting = "\(role.profile).aws_access_key_id"
    return try tool.variables(["AWS_ACCESS_KEY_ID"])
      + tool.filesBefore().filter { AWSConfig.hasKeys(role.profile, in: $0.contents) }
      .map { .overruled(setting: setting, place: $0.place) }
  }

  func removing(_ changes: [SettingChange], from contents: Secret) -> Secret? {
    contents.removing(changes) { change, contents in
      guard change.name.hasPrefix(Self.prefix), change.name.hasSuffix(Self.suffix) else { return nil }
      let profile = String(change.name.dropFirst(Self.prefix.count).dropLast(Self.suffix.count))
      return AWSConfig.removing(change, of: profile, from: contents)
    }
  }
}
