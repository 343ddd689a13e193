import AcctPrograms
import AcctProtocol
import Secrets
import StrictJSON
import Testing

@Suite("Docker's settings, changed")
struct DockerSettingsTests {
  private func added(_ host: String? = nil, to text: String?) throws -> (text: String, change: SettingChange)? {
    let edited = try DockerConfig.adding(host, to: text.map { Secret($0) })
    guard let edited else { return nil }
    return (edited.contents.shownText, try #require(edited.changes.first))
  }

  @Test("A new member comes last, laid out as the one before it, and every other byte stays")
  func layout() throws {
    let rows: [(before: String, after: String)] = [
      ("{\n\t\"auths\": {}\n}\n", "{\n\t\"auths\": {},\n\t\"credsStore\": \"acct\"\n}\n"),
      ("{\"auths\":{}}", "{\"auths\":{},\"credsStore\":\"acct\"}"),
      ("{\n    \"a\" : [1, 2]\n}", "{\n    \"a\" : [1, 2],\n    \"credsStore\" : \"acct\"\n}"),
      ("{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"credsStore\": \"acct\"\r\n}\r\n"),
      ("{}", "{\n\t\"credsStore\": \"acct\"\n}"), ("", "{\n\t\"credsStore\": \"acct\"\n}\n"),
      ("  {  \"a\":\t1  }  ", "  {  \"a\":\t1,  \"credsStore\":\t\"acct\"  }  "),
      ("{\"credsStore\": \"desktop\", \"x\": 1e2}", "{\"credsStore\": \"acct\", \"x\": 1e2}"),
      ("{\"credsStore\": \"\"}", "{\"credsStore\": \"acct\"}"),
    ]
    for row in rows { #expect(try added(to: row.before)?.text == row.after) }
    #expect(try added(to: nil)?.text == "{\n\t\"credsStore\": \"acct\"\n}\n")
  }

  @Test("A registry's own helper is set in credHelpers, which is made if it is missing")
  func registry() throws {
    let rows: [(before: String, after: String)] = [
      (
        "{\n\t\"auths\": {}\n}",
        "{\n\t\"auths\": {},\n\t\"credHelpers\": {\n\t\t\"r.example:5000\": \"acct\"\n\t}\n}"
      ), ("{\"a\":1}", "{\"a\":1,\"credHelpers\":{\"r.example:5000\": \"acct\"}}"),
      (
        "{\n  \"credHelpers\": {\n    \"o.example\": \"gcloud\"\n  }\n}",
        "{\n  \"credHelpers\": {\n    \"o.example\": \"gcloud\",\n    \"r.example:5000\": \"acct\"\n  }\n}"
      ), ("{\n  \"credHelpers\": {}\n}", "{\n  \"credHelpers\": {\n    \"r.example:5000\": \"acct\"\n  }\n}"),
      ("{\"credHelpers\":{\"r.example:5000\":\"gcloud\"}}", "{\"credHelpers\":{\"r.example:5000\":\"acct\"}}"),
    ]
    for row in rows {
      let added = try #require(try added("r.example:5000", to: row.before))
      #expect(added.text == row.after)
      #expect(added.change.name == "credHelpers.r.example:5000")
    }
    #expect(try added("r.example:5000", to: rows[4].before)?.change.replaced == "gcloud")
  }

  @Test("A file that asks acct already is not changed")
  func twice() throws {
    #expect(try added(to: "{\"credsStore\":\"acct\"}") == nil)
    #expect(try added("r.example", to: "{\"credHelpers\":{\"r.example\":\"acct\"}}") == nil)
    // Another registry's helper says nothing about this one.
    #expect(try added("r.example", to: "{\"credHelpers\":{\"o.example\":\"acct\"}}") != nil)
  }

  @Test("What is no object, has a member twice or another form is not changed")
  func malformed() {
    for text in ["[]", "{", "{\"a\":1,\"a\":2}", "{} x", "{\"a\":\"\u{0}\"}", "null"] {
      #expect(throws: SettingsFlaw.notJSON, "\(text)") { try DockerConfig.adding(nil, to: Secret(text)) }
    }
    #expect(throws: SettingsFlaw.form("credsStore")) {
      try DockerConfig.adding(nil, to: Secret("{\"credsStore\":1}"))
    }
    #expect(throws: SettingsFlaw.form("credHelpers")) {
      try DockerConfig.adding("r.example", to: Secret("{\"credHelpers\":[]}"))
    }
  }

  @Test("Taking acct out of a file that docker has written since leaves the rest, and puts back what acct replaced")
  func removing() throws {
    let store = SettingChange("credsStore", "acct")
    let replacing = SettingChange("credsStore", "acct", replacing: "desktop")
    let registry = SettingChange("credHelpers.r.example", "acct")
    let rows: [(change: SettingChange, before: String, after: String?)] = [
      (store, "{\n\t\"auths\": {},\n\t\"credsStore\": \"acct\",\n\t\"x\": 1\n}", "{\n\t\"auths\": {},\n\t\"x\": 1\n}"),
      (store, "{\"credsStore\": \"acct\", \"x\": 1}", "{\"x\": 1}"), (store, "{\n\t\"credsStore\": \"acct\"\n}", "{}"),
      (replacing, "{\"credsStore\":\"acct\"}", "{\"credsStore\":\"desktop\"}"), (replacing, "{\"x\":1}", nil),
      (store, "{\"credsStore\":\"pass\"}", nil), (store, "", nil),
      (registry, "{\"x\":1,\"credHelpers\":{\"r.example\":\"acct\"}}", "{\"x\":1}"),
      (registry, "{\"credHelpers\":{\"r.example\":\"acct\",\"o\":\"p\"}}", "{\"credHelpers\":{\"o\":\"p\"}}"),
      (registry, "{\"credHelpers\":{\"r.example\":\"pass\"}}", nil),
    ]
    for row in rows {
      #expect(
        try DockerConfig.removing(row.change, from: Secret(row.before))?.shownText == row.after,
        "\(row.before)"
      )
    }
  }

  @Test("The logins that docker would not use any more are those with a secret in the file")
  func logins() {
    let text = """
      {"auths":{"a.example":{"auth":"eDp5"},"b.example":{},"c.example":{"identitytoken":"x"},"d.example":{"auth":""}}}
      """
    #expect(DockerConfig.logins(in: Secret(text)) == ["a.example", "c.example"])
    #expect(DockerConfig.logins(in: Secret("{")) == [])
  }
}
