import AcctModel
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Token files of other programs, and files that are none")
struct ForeignTokenTests {
  let record = RecordedWorld()

  private func take(_ text: String, _ options: String...) async -> Int32 {
    record.provide("in", text)
    record.clear()
    return await record.run(
      ["add", "--import", "in", "--name", "go", "--allow-origin", "https://api.example"] + options
    )
  }

  private func account() async -> JSON? {
    #expect(await record.acct("list", "--json") == 0)
    return record.json?.objectValue?["accounts"]?.arrayValue?.first
  }

  @Test(
    "The end of a token has the names and forms of the libraries that write it",
    arguments: [
      (#""expiry":"2027-01-15T10:00:00.123456789+01:00""#, "2027-01-15T09:00:00Z"),
      (#""expiry":"2027-01-15T09:00:00.5Z""#, "2027-01-15T09:00:00Z"),
      (#""expiry":"2027-01-15T09:00:00.123456""#, "2027-01-15T09:00:00Z"),
      (#""expiry_date":1800003600123"#, "2027-01-15T09:00:00Z"),
      (#""expires_at":1800003600.75"#, "2027-01-15T09:00:00Z"),
      (#""expires_in":60,"expires_at":1800003600.75"#, "2027-01-15T09:00:00Z"),
      (#""token_expiry":"2027-01-15T09:00:00Z""#, "2027-01-15T09:00:00Z"),
      (#""expires_on":"1800003600""#, "2027-01-15T09:00:00Z"),
      (#""accessTokenExpiration":"2027-01-15T09:00:00Z""#, "2027-01-15T09:00:00Z"),
      (#""access_token_expiration":1800003600"#, "2027-01-15T09:00:00Z"),
      (#""expires_in":7200,"created_at":1799996400"#, "2027-01-15T09:00:00Z"),
      (#""expiry":"0001-01-01T00:00:00Z""#, nil), (#""expires_at":0"#, nil), (#""expiry":null"#, nil),
    ]
  )
  func ends(member: String, end: String?) async {
    #expect(await take(#"{"access_token":"a","token_type":"Bearer",\#(member)}"#) == 0, "\(record.err)")
    #expect(await account()?["expiresAt"] == JSON(end))
  }

  @Test("A token of Go's that ended in 2025, with a refresh token of no known issuer, has ended, and is imported again")
  func ended() async {
    let text =
      #"{"access_token":"ended-long-ago","token_type":"Bearer","refresh_token":"r","expiry":"2025-03-01T08:00:00.5+01:00"}"#
    #expect(await take(text) == 0)
    #expect(record.err == ["acct: the token of go has expired already", "acct: added go"])
    let account = await account()
    #expect(account?["expiresAt"] == "2025-03-01T07:00:00Z" && account?["canRenew"] == false)
    #expect(account?["state"] == "expired")
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("then import again"))
    #expect(await record.acct("header", "https://api.example/") == 4)
    #expect(await take(text.replacing("ended-long-ago", with: "fresh").replacing("2025", with: "2028")) == 0)
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.out == "Authorization: Bearer fresh\n")
  }

  @Test(
    "A token in rclone's settings, in JSON within JSON, and google-auth's are taken",
    arguments: [
      "[drive]\r\ntype = drive\r\ntoken = {\"access_token\":\"a\",\"token_type\":\"Bearer\",\"expiry\":\"2027-01-15T09:00:00Z\"}\r\n",
      #"{"type":"drive","token":"{\"access_token\":\"a\",\"expiry\":\"2027-01-15T09:00:00Z\"}"}"#,
      #""{\"access_token\":\"a\",\"expiry\":\"2027-01-15T09:00:00Z\"}""#,
      #"{"token":{"access_token":"a","expiry":"2027-01-15T09:00:00Z"}}"#,
      #"{"token":"a","scopes":["x","y"],"token_uri":"https://oauth2.example/token","expiry":"2027-01-15T09:00:00Z"}"#,
    ]
  )
  func wrapped(text: String) async {
    #expect(await take(text) == 0, "\(record.err)")
    #expect(await account()?["expiresAt"] == "2027-01-15T09:00:00Z")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "a\n")
  }

  @Test(
    "A file that is no account's tokens is told as what it is, with what it is for",
    arguments: [
      ("-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n", "a private key in PEM", "--client-key FILE"),
      ("Bag Attributes\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "a private key in PEM", "--cert-key FILE"),
      ("\n-----BEGIN CERTIFICATE-----\nMIIB\n", "a certificate in PEM", "--cert FILE --cert-key FILE"),
      ("-----BEGIN PUBLIC KEY-----\n", "a file in PEM", "--import takes JSON"),
      (#"{"keys":[{"kty":"EC"}]}"#, "a set of keys (JWK set)", "dpopKey"),
      (#"{"kty":"EC","crv":"P-256"}"#, "a key (JWK) alone", "dpopKey"),
      (#"{"type":"service_account","private_key":"x"}"#, "the key file of a service account", "--grant jwt-bearer"),
      (
        #"{"type":"authorized_user","refresh_token":"x"}"#, "a file of gcloud without an access token",
        "acct add google"
      ),
      ("eyJhbGciOiJub25lIn0.e30.\n", "a token alone", "--token FILE --allow-origin"),
      (
        "[a]\ntoken = {\"a\":1}\n[b]\ntoken={\"b\":1}\n", "a file of rclone with several accounts", "rclone config show"
      ),
    ]
  )
  func foreign(text: String, what: String, remedy: String) async {
    #expect(await take(text) == 65)
    #expect(record.err.first == "acct: this is \(what), and no account's tokens")
    #expect(record.err.last?.contains(remedy) == true)
    #expect(record.err.last?.hasSuffix("; nothing was stored") == true)
    #expect(record.accountFiles == 0)
  }

  @Test(
    "The numbers of a key that are padded, or of 31 or 33 bytes, are told as that",
    arguments: [
      (
        "d", "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE=",
        "its d is padded with =, which base64url is not (RFC 7515): leave out the ="
      ),
      (
        "x", "AKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7A",
        "its x has 31 bytes, and must have 32 (RFC 7518, section 6.2): zero bytes at its beginning belong to it"
      ),
      (
        "y", "AOBLZekkVtmIi1Kzeb371R7oae8fD8ZbZllpW2zOCBcj",
        "its y has 33 bytes, and must have 32 (RFC 7518, section 6.2): leave out the zero byte at its beginning"
      ),
    ]
  )
  func numbers(member: String, value: String, words: String) async {
    var key = Handoffs.key.objectValue ?? [:]
    key[member] = .string(value)
    #expect(await take(Handoffs.dpop(changing: ["dpopKey": .object(key)])) == 65)
    #expect(record.err.first == "acct: the DPoP key can't be used: \(words)")
  }
}
