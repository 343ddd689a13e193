import AcctPorts
import FleetPorts
import Testing

@Suite("The members of etcd, and a shared keyring's name")
struct EtcdEndpointsTests {
  @Test("Members are separated by commas, and each counts once")
  func members() throws {
    #expect(try EtcdEndpoints.parse("https://a.example:2379") == ["https://a.example:2379"])
    #expect(
      try EtcdEndpoints.parse("https://A.example:2379/,https://[::1]:443,https://a.example:2379")
        == ["https://a.example:2379", "https://[::1]:443"]
    )
  }

  @Test(
    "A member is https, a host and a port, and nothing else",
    arguments: [
      "", ",", "https://a.example:2379,", "a.example:2379", "http://a.example:2379", "http://127.0.0.1:2379",
      "https://a.example", "https://a.example/", "https://[::1]", "https://a.example:", "https://a.example:0",
      "https://a.example:65536", "https://u@a.example:2379", "https://u:p@a.example:2379", "https://a.example:2379/x",
      "https://a.example:2379?x", "https://a.example:2379#x", "https:// a.example:2379",
      "https://a.example:2379 https://b.example:2379",
    ]
  )
  func malformed(text: String) {
    #expect(throws: KeyringSettingsFlaw.endpoint) { try EtcdEndpoints.parse(text) }
  }

  @Test("A keyring's name has 1 to 64 letters, digits, - and _ of ASCII")
  func names() throws {
    for name in ["main", "a", "CI-2_x", String(repeating: "n", count: 64)] { try SharedKeyringName.check(name) }
    for name in ["", "a/b", ".", "a b", "é", "a\n", String(repeating: "n", count: 65)] {
      #expect(throws: KeyringSettingsFlaw.name) { try SharedKeyringName.check(name) }
    }
  }
}
