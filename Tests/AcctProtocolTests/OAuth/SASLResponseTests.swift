import AcctModel
import AcctProtocol
import Secrets
import Testing

@Suite("The initial response of SASL")
struct SASLResponseTests {
  /// The example of Google's text on XOAUTH2.
  @Test("The initial response of XOAUTH2 is that of Google's example")
  func xoauth2() throws {
    let response = try SASLResponse(.xoauth2, user: "someuser@example.com")
    #expect(
      response.text(Secret("ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg")).shownText
        == "dXNlcj1zb21ldXNlckBleGFtcGxlLmNvbQFhdXRoPUJlYXJlciB5YTI5LnZGOWRmdDRxbVRjMk52YjNSbGNrQmhkSFJoZG1semRHRXVZMjl0Q2cBAQ=="
    )
  }

  @Test("The initial response of OAUTHBEARER has the user as a saslname, and no host")
  func oauthbearer() throws {
    // n,a=user@example.com,^Aauth=Bearer t0k^A^A
    #expect(
      try SASLResponse(.oauthbearer, user: "user@example.com").text(Secret("t0k")).shownText
        == "bixhPXVzZXJAZXhhbXBsZS5jb20sAWF1dGg9QmVhcmVyIHQwawEB"
    )
    // n,a=a=3Db=2Cc,^Aauth=Bearer t0k^A^A
    #expect(
      try SASLResponse(.oauthbearer, user: "a=b,c").text(Secret("t0k")).shownText
        == "bixhPWE9M0RiPTJDYywBYXV0aD1CZWFyZXIgdDBrAQE="
    )
  }

  @Test("A user name that could end itself is rejected, and so is an empty or a huge one")
  func users() {
    for user in ["a\u{01}auth=Bearer x", "a\nb", "a\u{0}", "a\u{7F}", "\u{85}"] {
      #expect(throws: SASLResponse.Flaw.control) { try SASLResponse(.xoauth2, user: user) }
    }
    #expect(throws: SASLResponse.Flaw.empty) { try SASLResponse(.xoauth2, user: "") }
    let long = String(repeating: "a", count: 1025)
    #expect(throws: SASLResponse.Flaw.tooLong) { try SASLResponse(.oauthbearer, user: long) }
  }
}
