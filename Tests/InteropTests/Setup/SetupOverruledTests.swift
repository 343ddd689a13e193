import AcctTestSupport
import Testing

@Suite("Files and variables that decide before the settings of a setup")
struct SetupOverruledTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let program: SetupFileRow.Program
    let files: [String: String]
    var variables: [String] = []
    /// The words of the setup, with `HOME` for the home folder.
    let says: String

    var testDescription: String { "\(program): \(says)" }
  }

  private static let rows = [
    Row(
      program: .pip,
      files: ["other.conf": "[global]\nkeyring-provider = import\n"],
      variables: ["PIP_CONFIG_FILE=HOME/other.conf"],
      says: "global.keyring-provider of HOME/other.conf decides until it is removed there"
    ),
    Row(
      program: .pip,
      files: [:],
      variables: ["PIP_KEYRING_PROVIDER=import"],
      says: "PIP_KEYRING_PROVIDER is set in the environment, and decides until it is unset"
    ),
    Row(
      program: .pip,
      files: [".config/pip/pip.conf": "[download]\nkeyring-provider = import\n"],
      says: "download.keyring-provider of HOME/.config/pip/pip.conf decides until it is removed there"
    ),
    Row(
      program: .docker,
      files: [".config/containers/auth.json": "{\"auths\":{\"quay.example\":{\"auth\":\"bWFkZTp1cA==\"}}}"],
      says: "auths.quay.example of HOME/.config/containers/auth.json decides until it is removed there"
    ),
    Row(
      program: .docker,
      files: ["auth.json": "{\"auths\":{\"quay.example\":{\"auth\":\"bWFkZTp1cA==\"}}}"],
      variables: ["REGISTRY_AUTH_FILE=HOME/auth.json"],
      says: "auths.quay.example of HOME/auth.json decides until it is removed there"
    ),
    Row(
      program: .aws,
      files: [".aws/credentials": "[default]\n[p]\naws_access_key_id = made-up\n"],
      says: "p.aws_access_key_id of HOME/.aws/credentials decides until it is removed there"
    ),
    Row(
      program: .terraform,
      files: [".terraform.d/credentials.tfrc.json": "{\"credentials\":{\"quay.example\":{\"token\":\"made-up\"}}}"],
      says: "credentials.quay.example of HOME/.terraform.d/credentials.tfrc.json decides until it is removed there"
    ),
    Row(
      program: .terraform,
      files: [:],
      variables: ["TF_TOKEN_quay_example=made-up"],
      says: "TF_TOKEN_quay_example is set in the environment, and decides until it is unset"
    ),
    Row(
      program: .cargo,
      files: [
        ".cargo/config.toml":
          "[registries.a]\nindex = \"sparse+https://a.example/\"\ncredential-provider = [\"cargo:token\"]\n"
      ],
      says: "registries.a.credential-provider names another helper"
    ),
    Row(
      program: .go,
      files: [:],
      variables: ["GOAUTH=off"],
      says: "GOAUTH is set in the environment, and decides until it is unset"
    ),
  ]

  @Test(
    "They are named with their place by the setup, by the next one and in the list, which does not say that all is set up",
    arguments: rows
  )
  func overruled(_ row: Row) async throws {
    let (setup, path) = try await SetupHome.withPrograms()
    try await setup.home.addBearer("quay", at: "https://quay.example")
    for (name, text) in row.files { try await setup.write(text, to: name) }
    let home = setup.folder.path
    let variables = [path] + row.variables.map { $0.replacing("HOME", with: home) }
    let says = row.says.replacing("HOME", with: home)
    let done = try await setup.run("env", variables + ["acct", "helper", "setup"] + row.program.words)
    #expect(done.status == 0 && done.errorText.contains("acct: \(says)\n"), "\(done.errorText)")
    let again = try await setup.run("env", variables + ["acct", "helper", "setup"] + row.program.words)
    #expect(
      again.errorText == "acct: \(says)\nacct: \(row.program) is set up already; nothing was changed\n",
      "\(again.errorText)"
    )
    // aws is set up for profiles.
    guard row.program != .aws else { return }
    let list = try await setup.run("env", variables + ["acct", "helper", "setup"])
    let line = list.text.split(separator: "\n").first { $0.hasPrefix("\(row.program) ") } ?? ""
    #expect(line.hasSuffix("set up, but \(says)"), "\(list.text)")
  }

  @Test("Of several kubeconfigs, the first one that has the context is changed, and a foreign user acct is not used")
  func kubeconfigs() async throws {
    let (setup, path) = try await SetupHome.withPrograms()
    let row = try #require(SetupFileRow.all.first { $0.program == .kubectl })
    let first = "apiVersion: v1\nkind: Config\nusers: []\n"
    try await setup.write(first, to: "first")
    try await setup.write(row.before ?? "", to: "second")
    let home = setup.folder.path
    let variables = [path, "KUBECONFIG=\(home)/none:\(home)/first:\(home)/second"]
    let acct = variables + ["acct", "helper", "setup", "kubectl"]
    let done = try await setup.run("env", acct)
    #expect(done.status == 0 && done.errorText.contains("+++ \(home)/second\n"), "\(done.errorText)")
    #expect(try await setup.text("first") == first)
    let (judge, word) = row.program.judge("")
    #expect(try await setup.run("env", variables + judge).text == word)
    #expect(try await setup.run("env", acct + ["--undo"]).status == 0)
    #expect(try await setup.text("second") == row.before)
    try await setup.write(first.replacing("[]", with: "[{name: acct, user: {username: x}}]"), to: "first")
    let refused = try await setup.run("env", acct)
    #expect(refused.status == 65 && refused.errorText.contains("users.acct has a form"), "\(refused.errorText)")
    #expect(try await setup.text("second") == row.before)
  }
}
