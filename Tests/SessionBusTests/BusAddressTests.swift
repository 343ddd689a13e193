import SessionBus
import Testing

@Suite("The session bus's address")
struct BusAddressTests {
  @Test("A bus address never names a bus that would have to be started")
  func launchesNothing() throws {
    #expect(
      try BusAddress(given: "autolaunch:;unix:path=/run/bus").text == "unix:path=/run/bus"
    )
    #expect(throws: BusError.unreachable(reason: "there is no session bus")) {
      try BusAddress(given: "autolaunch:scope=user")
    }
  }

  @Test(
    "A bus address is a list of which only Unix sockets are used",
    arguments: [
      ("unix:path=/run/user/0/bus,guid=00", ["/run/user/0/bus"]), ("unix:guid=00,path=/a%20b%2Fc", ["/a b/c"]),
      ("tcp:host=localhost,port=1;unix:abstract=x", ["\0x"]), ("unix:path=/a;unix:path=/b", ["/a", "/b"]),
      ("unix:path=/a%2;unix:path=/b", ["/b"]),
    ]
  )
  func sockets(address: String, names: [String]) throws {
    #expect(try BusAddress(given: address).socketNames == names.map { Array($0.utf8) })
  }

  @Test(
    "A bus address without a Unix socket is unusable",
    arguments: ["unix:path=/a%2", "unix:path=", "bus", "tcp:host=localhost,port=1"]
  )
  func noSocket(address: String) {
    #expect(throws: BusError.unreachable(reason: "the session bus has no Unix socket")) {
      try BusAddress(given: address)
    }
  }

  @Test("A bus address for libsecret names only the sockets that acct itself uses")
  func textForLibsecret() throws {
    let address = "tcp:host=localhost,port=1;unixexec:path=/bin/true;unix:path=/a%20b,guid=00;unix:abstract=x"
    #expect(try BusAddress(given: address).text == "unix:path=/a%20b;unix:abstract=x")
  }
}
