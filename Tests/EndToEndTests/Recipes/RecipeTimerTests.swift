import AcctTestSupport
import StrictJSON
import Testing

/// `Examples/systemd`: what renews, and reports who is needed.
@Suite("The recipe for a timer")
struct RecipeTimerTests {
  private let script = Product.source("Examples/systemd/acct-renew")

  @Test("The timer renews due tokens silently and names the account that needs a person")
  func renews() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let quiet = try await home.recipe(script, []).run()
    #expect(quiet.status == 0)
    #expect(quiet.text + quiet.errorText == "")
    #expect(try await server.counts()["refreshes"] == 1)

    try await home.importExpired(from: server)
    try await server.control("end")
    // The second time nothing is asked any more, and the report stays.
    for _ in 1...2 {
      let told = try await home.recipe(script, []).run()
      #expect(told.status == 4)
      #expect(told.text.isEmpty)
      #expect(told.errorText.contains("\nsign in again: "), "\(told.errorText)")
    }
    try await server.expectNothingWrong()
  }

  @Test("A server's words control neither the terminal nor the desktop")
  func hostileWords() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let words = #"over\u001b]0;owned\u0007 \u009b31m\u202e <b>now</b> & \n\u2028then \u00e9"#
    try await server.fault([
      "endpoint": "token", "kind": "status", "status": 400, "type": "application/json",
      "body": .string(#"{"error":"invalid_grant","error_description":"\#(words)"}"#),
    ])
    let folder = try TemporaryFolder()
    let notify = try folder.file(
      "notify-send",
      containing: "#!/bin/sh\nprintf '%s\\n' \"$@\" >'\(folder.path)/shown'\n"
    )
    _ = try await ChildProcess("chmod", ["+x", notify]).run()
    var recipe = home.recipe(script, [])
    recipe.environment["PATH"] = "\(folder.path):\(recipe.environment["PATH"] ?? "")"
    let told = try await recipe.run()
    #expect(told.status == 4)
    let line = told.errorText.split(separator: "\n").last { $0.hasPrefix("sign in again: ") }
    #expect(
      line?.hasSuffix(": over?]0;owned? ?31m? <b>now</b> & ??then é") == true,
      "\(told.errorText)"
    )
    let controls = told.errorText.unicodeScalars.filter { scalar in
      let category = scalar.properties.generalCategory
      return scalar != "\n" && (category == .control || category == .format)
    }
    #expect(controls.isEmpty)
    let shown = try await ChildProcess("cat", ["\(folder.path)/shown"]).run().text
    #expect(
      shown.hasSuffix(": over?]0;owned? ?31m? &lt;b&gt;now&lt;/b&gt; &amp; ??then é\n"),
      "\(shown)"
    )
  }

  @Test("An unreachable server needs no person: its status is network, which the unit accepts")
  func network() async throws {
    let home = try AcctHome()
    do {
      let server = try await StrictServer()
      try await home.importExpired(from: server)
    }
    let output = try await home.recipe(script, []).run()
    #expect(output.status == 10)
    #expect(!output.errorText.contains("sign in again"))
  }

  @Test("The units pass systemd's verification without a message")
  func units() async throws { try await expectVerified(unitsOf: "acct-renew", running: script) }
}
