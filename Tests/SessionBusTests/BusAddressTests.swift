import Foundation
import Glibc
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

  /// The bus that is found without an address, in a folder of users.
  private func found(in users: String, _ variables: [String: String] = [:]) throws -> [String] {
    try BusAddress(given: nil, users: users) { variables[$0] }.socketNames
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("A bus without variables is the socket in the user's own folder, and no other file")
  func ownBus() throws {
    let files = FileManager.default
    let users = "\(files.temporaryDirectory.path)/\(UUID())"
    let path = "\(users)/\(geteuid())/bus"
    #expect(throws: BusError.unreachable(reason: "there is no session bus")) { try found(in: users) }
    try files.createDirectory(atPath: "\(users)/\(geteuid())", withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: users) }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    #expect(try found(in: users) == [path])
    // It is what remains where the environment names a bus of an earlier session.
    let former = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/former"]
    let stale = try BusAddress(given: nil, users: users) { former[$0] }
    #expect(stale.text == "unix:path=/former;unix:path=\(path)")
    #expect(try BusAddress(given: "unix:path=/former", users: users) { former[$0] }.text == "unix:path=/former")
    // A runtime folder of the environment's is the only place.
    #expect(throws: BusError.unreachable(reason: "there is no session bus")) {
      try found(in: users, ["XDG_RUNTIME_DIR": users])
    }
    try files.removeItem(atPath: path)
    #expect(files.createFile(atPath: path, contents: nil))
    #expect(throws: BusError.unreachable(reason: "\(path) is not a socket")) { try found(in: users) }
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
