import AcctTestSupport
import Testing

/// `acct helper setup aws` with the real `aws`, and `acct helper setup terraform`.
@Suite("AWS and Terraform, set up by acct")
struct SetupCloudTests {
  private static let role = "arn:aws:iam::123456789012:role/made-up"
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  private func acct(_ setup: SetupHome, _ words: String..., with more: [String] = []) async throws
    -> ChildProcess.Output
  {
    try await run(setup, ["acct", "helper", "setup"] + words, with: more)
  }

  private func run(_ setup: SetupHome, _ line: [String], with more: [String] = []) async throws -> ChildProcess.Output {
    let path = "\(setup.home.commands):\(Product.source(".build/venv/bin")):/usr/bin:/bin"
    return try await setup.run("env", ["PATH=\(path)"] + more + line)
  }

  @Test(
    "aws gets a profile whose keys come from acct, its service becomes an origin, and the file is restored byte for byte"
  )
  func aws() async throws {
    let setup = try await SetupHome()
    let service = try await TokenServiceServer()
    let added = try await setup.home.importing(
      """
      {"access_token":"made-up-access-token","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(Self.idToken)"}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    let before = "# mine\n[default]\nregion=eu-central-1\n[profile work]\n  region = us-east-1 ; mine\n"
    try await setup.write(before, to: ".aws/config")
    let local = ["AWS_ENDPOINT_URL_STS=\(service.endpoint)", "AWS_EC2_METADATA_DISABLED=true"]
    #expect(try await acct(setup, "aws", with: local).status == 64)
    #expect(try await acct(setup, "aws", "--role-arn", "made-up", with: local).status == 64)
    let shown = try await acct(setup, "aws", "--role-arn", Self.role, "--dry-run", with: local)
    let words = "acct helper aws --account alice.example --role-arn"
    #expect(shown.text.contains("+credential_process = \(words)"))
    #expect(shown.errorText.contains("profile.acct.credential_process = \(words)"))
    #expect(shown.errorText.contains("alice.example: its token may go to \(service.endpoint)"))
    #expect(try await setup.text(".aws/config") == before)

    let done = try await acct(setup, "aws", "--role-arn", Self.role, with: local)
    #expect(done.status == 0, "\(done.errorText)")
    let script = "import boto3; print(boto3.Session(profile_name='acct').get_credentials().secret_key)"
    let keys = try await run(setup, ["python", "-c", script], with: local)
    #expect(keys.status == 0, "\(keys.errorText)")
    #expect(keys.text.split(separator: "\n").map(String.init) == (try await service.secrets()).dropLast())
    let again = try await acct(setup, "aws", "--role-arn", Self.role, with: local)
    #expect(again.errorText == "acct: aws already asks acct; nothing was changed\n")
    let second = try await acct(setup, "aws", "--role-arn", Self.role, "--profile", "work", with: local)
    #expect(second.status == 0 && second.errorText.contains("`acct helper setup aws --profile work --undo`"))
    for _ in 0..<2 { #expect(try await acct(setup, "aws", "--undo").status == 0) }
    #expect(try await setup.text(".aws/config") == before)
    #expect(try await service.violations() == [])
  }

  @Test("From a file of AWS that was written since, only the line of acct goes")
  func awsSince() async throws {
    let setup = try await SetupHome()
    try await setup.home.addBearer("work", at: "https://sts.amazonaws.com")
    #expect(try await acct(setup, "aws", "--role-arn", Self.role).status == 0)
    let set = try await run(setup, ["aws", "configure", "set", "region", "x", "--profile", "acct"])
    try #require(set.status == 0, "\(set.errorText)")
    #expect(try await acct(setup, "aws", "--undo").status == 0)
    #expect(try await setup.text(".aws/config") == "[profile acct]\nregion = x\n")
  }

  @Test("Terraform gets the block and the program of acct, and everything is as before after the undoing")
  func terraform() async throws {
    let setup = try await SetupHome()
    try await setup.write("#!/bin/sh\n", to: "bin/terraform")
    let tools = "\(setup.folder.path)/bin"
    try #require(try await ChildProcess("chmod", ["755", "\(tools)/terraform"]).run().status == 0)
    func acct(_ words: String...) async throws -> ChildProcess.Output {
      try await setup.run(
        "env",
        ["PATH=\(tools):\(setup.home.commands):/usr/bin:/bin", "acct", "helper", "setup"] + words
      )
    }
    let before = "plugin_cache_dir = \"/c\" # mine"
    try await setup.write(before, to: ".terraformrc")
    let done = try await acct("terraform")
    #expect(done.status == 0, "\(done.errorText)")
    #expect(try await setup.text(".terraformrc") == before + "\n\ncredentials_helper \"acct\" {}\n")
    // As Terraform runs it, from its folder.
    try await setup.home.addBearer("work", at: "https://tf.example", token: "made-up-token")
    let plugin = "\(setup.folder.path)/.terraform.d/plugins/terraform-credentials-acct"
    let got = try await setup.run("env", ["ACCT_ACCOUNT=work", plugin, "get", "tf.example"])
    #expect(got.text == "{\"token\":\"made-up-token\"}\n", "\(got.errorText)")
    #expect(try await acct("terraform").errorText == "acct: terraform already asks acct; nothing was changed\n")
    #expect(try await acct("terraform", "--undo").status == 0)
    #expect(try await setup.text(".terraformrc") == before)
    #expect(try await setup.bytes(".terraform.d/plugins/terraform-credentials-acct") == nil)
    #expect(try await ChildProcess("test", ["-e", "\(setup.folder.path)/.terraform.d"]).run().status == 1)

    try await setup.write("credentials_helper \"vault\" {}\n", to: ".terraformrc")
    let other = try await acct("terraform")
    #expect(other.status == 8 && other.errorText.contains("asks the credentials helper vault"), "\(other.errorText)")
    #expect(try await ChildProcess("test", ["-e", "\(setup.folder.path)/.terraform.d"]).run().status == 1)
  }
}
