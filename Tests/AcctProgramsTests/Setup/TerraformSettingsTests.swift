import AcctPrograms
import AcctProtocol
import Secrets
import Testing

@Suite("Terraform's settings, changed")
struct TerraformSettingsTests {
  private static let block = "credentials_helper \"acct\" {}\n"

  @Test(
    "The block of acct is added behind everything else, and goes alone from a file that was written since",
    arguments: [
      (nil, block), ("", block), ("plugin_cache_dir = \"/c\"", "plugin_cache_dir = \"/c\"\n\n\(block)"),
      ("# credentials_helper \"x\" {}\n", "# credentials_helper \"x\" {}\n\n\(block)"),
      ("/* credentials_helper \"x\" {\n */\n", "/* credentials_helper \"x\" {\n */\n\n\(block)"),
      (
        "host \"a.example\" {\n  services = { \"x\" = \"credentials_helper {\" } // }\n}\n",
        "host \"a.example\" {\n  services = { \"x\" = \"credentials_helper {\" } // }\n}\n\n\(block)"
      ),
    ] as [(String?, String)]
  )
  func added(before: String?, after: String) throws {
    let edited = try #require(try TerraformConfig.adding(to: before.map { Secret($0) }))
    #expect(edited.contents.shownText == after)
    #expect(try TerraformConfig.adding(to: edited.contents) == nil)
    let since = Secret(after + "disable_checkpoint = true\n")
    #expect(try TerraformConfig.removing(from: since)?.shownText.contains("credentials_helper \"acct\"") == false)
    #expect(try TerraformConfig.removing(from: edited.contents)?.shownText.contains(before ?? "") == true)
  }

  @Test(
    "A block of acct that the user has written into stays",
    arguments: ["{\n  args = [\"}\"]\n}\n", "{ args = [] }\n", "{\n  a {}\n}\n"]
  )
  func extended(body: String) throws {
    let text = Secret("a = 1\ncredentials_helper \"acct\" \(body)b = 2\n")
    #expect(try TerraformConfig.adding(to: text) == nil)
    #expect(try TerraformConfig.removing(from: text) == nil)
  }

  @Test(
    "Another helper is named, and stays",
    arguments: ["credentials_helper \"vault\" {\n  args = []\n}\n", "credentials_helper vault {\n}\n"]
  )
  func other(text: String) throws {
    #expect(throws: SettingsFlaw.otherHelper("vault")) { try TerraformConfig.adding(to: Secret(text)) }
    #expect(try TerraformConfig.removing(from: Secret(text)) == nil)
  }

  @Test(
    "A file that can't be followed to its end is not changed",
    arguments: [
      "{\"credentials_helper\": {}}", "a \"b", "a {", "}", "/* a", "a = <<E\n{\nE\n", "credentials_helper {\n}\n",
    ]
  )
  func malformed(text: String) { #expect(throws: SettingsFlaw.self) { try TerraformConfig.adding(to: Secret(text)) } }

  @Test("A process of AWS goes from its profile alone, which goes with it if nothing else is in it")
  func aws() {
    let change = SettingChange("profile.acct.credential_process", "acct helper aws")
    let rows = [
      ("[profile acct]\ncredential_process = acct helper aws\n", ""),
      ("[default]\nregion = x\n[profile acct]\ncredential_process = acct helper aws\n", "[default]\nregion = x\n"),
      ("[profile acct]\nregion = x\ncredential_process=acct helper aws\n[a]\n", "[profile acct]\nregion = x\n[a]\n"),
    ]
    for (before, after) in rows {
      #expect(AWSConfig.process(of: "acct", in: Secret(before)) == "acct helper aws")
      #expect(AWSConfig.removing(change, of: "acct", from: Secret(before))?.shownText == after)
    }
    let other = Secret(
      "[profile other]\ncredential_process = acct helper aws\n[profile acct]\ncredential_process = x\n"
    )
    #expect(AWSConfig.removing(change, of: "acct", from: other) == nil)
    let replacing = SettingChange(change.name, "x", replacing: "y z")
    #expect(
      AWSConfig.removing(replacing, of: "acct", from: other)?.shownText.hasSuffix("credential_process = y z\n") == true
    )
  }
}
