import AcctModel
import Testing

@Suite("Which addresses servers may point to")
struct ReachTests {
  static let inside = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.0.1", "198.18.0.1", "198.19.255.255",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1",
    "ff02::1", "100::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::127.0.0.1", "64:ff9b::192.168.1.1",
    "64:ff9b:1::808:808", "2002:7f00:1::", "2002:c0a8:101::1", "2001::1",
  ]
  static let outside = [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.1", "169.253.0.1", "172.15.255.255", "172.32.0.0", "192.167.0.1", "192.169.0.1",
    "198.17.0.1", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2001:db8::1", "fbff::1",
    "fe00::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
  ]

  @Test("Loopback, link-local, private and reserved addresses are not public", arguments: inside)
  func notPublic(_ text: String) throws {
    #expect(try !#require(IPAddress(text)).isPublic)
    let host = text.contains(":") ? "[\(text)]" : text
    #expect(try !Origin("https://\(host):8443").mayBePublic)
  }

  @Test("Addresses next to the reserved ranges are public", arguments: outside)
  func isPublic(_ text: String) throws {
    #expect(try #require(IPAddress(text)).isPublic)
    let host = text.contains(":") ? "[\(text)]" : text
    #expect(try Origin("https://\(host)").mayBePublic)
  }

  @Test(
    "A host that resolvers read as this machine is not public",
    arguments: [
      "localhost", "localhost.", "app.localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.",
    ]
  )
  func spellings(_ host: String) throws {
    #expect(try !Origin("https://\(host)").mayBePublic)
  }

  @Test("Any other host name may be public", arguments: ["pds.example", "localhost.example", "1.example", "a"])
  func names(_ host: String) throws { #expect(try Origin("https://\(host)").mayBePublic) }

  @Test("The user may name any address, and a document private ones only at its own place")
  func naming() throws {
    let local = try Origin("http://127.0.0.1:1")
    let other = try Origin("http://localhost:2")
    let remote = try Origin("https://pds.example")
    let far = try Origin("https://far.example")
    #expect(Naming.user.reach(to: local) == .anywhere)
    #expect(Naming.user.document(at: local).reach(to: other) == .anywhere)
    let document = Naming.user.document(at: remote)
    // Its own origin may be in the user's own network, if the user named it.
    #expect(document.reach(to: remote) == .anywhere)
    #expect(document.reach(to: far) == .publicOnly)
    #expect(document.reach(to: local) == .publicOnly)
    // A document that could not be fetched names nothing.
    #expect(document.document(at: local).reach(to: local) == .publicOnly)
    #expect(document.document(at: far).reach(to: far) == .publicOnly)
    #expect(Naming.remote.reach(to: remote) == .publicOnly)
    #expect(!Reach.publicOnly.permits(local))
    #expect(Reach.publicOnly.permits(far))
    #expect(Reach.anywhere.permits(local))
  }
}
