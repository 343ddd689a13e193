import Release
import AcctModel
import AcctPrograms
import Secrets
import AcctProtocol
import Testing

@Suite("Bazel's credential helper")
struct BazelCredentialTests {
  private func helper(_ input: String, _ operation: [String] = ["get"]) throws(HelperFlaw)
    -> BazelCredential
  { try BazelCredential(HelperQuestion(operation, Secret(input))) }

  @Test("Bazel's request names an address, whatever else stands in it")
  func request() throws {
    let helper = try helper(#"{"uri":"https://api.example/rest?a=b","later":[1]}"#)
    #expect(helper.task == .get(HelperTarget(try HTTPURL("https://api.example/rest?a=b"))))
    #expect(helper.accepts(.bound))
  }

  @Test("An address of gRPC over TLS is that of the same server over https, without a proof")
  func grpc() throws {
    for scheme in ["grpcs", "GRPCS"] {
      let helper = try helper(#"{"uri":"\#(scheme)://cache.example:8980/a.Service/Do"}"#)
      let url = try HTTPURL("https://cache.example:8980/a.Service/Do")
      #expect(helper.task == .get(HelperTarget(url)))
      #expect(!helper.accepts(.bound))
      #expect(helper.accepts(.scheme("Bearer")))
    }
    // Without TLS there is no https that would mean the same.
    for address in ["grpc://cache.example/", "unix:/run/cache", "cache.example"] {
      #expect(try helper(#"{"uri":"\#(address)"}"#).task == .unusable(nil), "\(address)")
    }
    #expect(try helper(#"{"uri":"https://a b/"}"#).task != .unusable(nil))
  }

  @Test("Bazel's answer has the header lines in order, and their end")
  func answer() throws {
    let helper = try helper(#"{"uri":"https://api.example"}"#)
    let lines = [HeaderField("Authorization", Secret(#"Bearer a"b"#)), HeaderField("X-Device-ID", Secret("d"))]
    #expect(
      output(of: try helper.answer(credential(for: "https://api.example", .guest, lines)))
        == #"{"headers":{"Authorization":["Bearer a\"b"],"X-Device-ID":["d"]},"#
        + #""expires":"2027-01-15T09:00:00Z"}"# + "\n"
    )
    #expect(
      output(of: try helper.answer(credential(for: "https://api.example", until: nil)))
        == #"{"headers":{"Authorization":["Bearer t0k"]}}"# + "\n"
    )
    #expect(helper.none == HelperAnswer(Secret("{}\n")))
  }

  @Test("Bazel is told not to keep a proof, which is for one request")
  func proof() throws {
    let helper = try helper(#"{"uri":"https://api.example"}"#)
    #expect(
      output(of: try helper.answer(credential(for: "https://api.example", .bound, boundFields)))
        == #"{"headers":{"Authorization":["DPoP t0k"],"DPoP":["e.y.J"]},"#
        + #""expires":"2027-01-15T08:00:00Z"}"# + "\n"
    )
  }

  @Test(
    "What is not Bazel's request is rejected",
    arguments: [
      ("", HelperFlaw.notJSON), ("[]", .notJSON), ("{}", .missing("uri")), (#"{"uri":1}"#, .value("uri")),
      (#"{"uri":""}"#, .missing("uri")), (#"{"url":"https://api.example"}"#, .missing("uri")),
      (#"{"uri":"a","uri":"b"}"#, .repeated("uri")),
      (#"{"uri":"https://api.example"}{"uri":"https://api.example"}"#, .notJSON),
    ]
  )
  func flaw(_ input: String, _ flaw: HelperFlaw) {
    #expect(throws: flaw) { try helper(input) }
  }

  @Test("Bazel's helper has the operation get and no other")
  func operations() {
    #expect(throws: HelperFlaw.operation(nil)) { try helper("{}", []) }
    #expect(throws: HelperFlaw.operation("store")) { try helper("{}", ["store"]) }
    #expect(throws: HelperFlaw.arguments) { try helper("{}", ["get", "x"]) }
  }
}
