import AcctModel
import AcctPorts
import LiveHTTP
import Testing

@Suite("Callers of the callback listener", .timeLimit(.minutes(1)))
struct CallbackCallerTests {
  /// The caller of a request with these fields.
  private func caller(_ fields: String, owner: SocketOwner = .kernel) async throws -> (Callback.Caller?, page: String) {
    try await CallbackListener.live(owner: owner).listening { listening in
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send("GET /callback?code=1 HTTP/1.1\r\nHost: 127.0.0.1:\(listening.port)\r\n\(fields)\r\n")
      let callback = try #require(await listening.next())
      callback.answer(.refused)
      return (callback.caller, await visitor.everything())
    }
  }

  @Test(
    "The caller is this user if the kernel says so and no page made the request",
    arguments: [
      "", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\n",
      "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-origin\r\n",
    ]
  )
  func own(_ fields: String) async throws {
    #expect(try await caller(fields).0 == .ownUser)
  }

  @Test(
    "The caller is a page if its browser says so",
    arguments: [
      "Sec-Fetch-Mode: no-cors\r\n", "Sec-Fetch-Mode: cors\r\nSec-Fetch-Site: cross-site\r\n",
      "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
      "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Mode: cors\r\n", "sec-fetch-mode: websocket\r\n",
      "Sec-Fetch-Mode: navigate\r\nSec-Purpose: prefetch;prerender\r\n",
    ]
  )
  func page(_ fields: String) async throws {
    let answer = try await caller(fields)
    #expect(answer.0 == .page)
    #expect(answer.page.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
  }

  @Test("The caller is another user unless the kernel says that it is this one")
  func other() async throws {
    let navigation = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    #expect(try await caller(navigation, owner: SocketOwner { _, _ in false }).0 == .otherUser)
  }

  @Test("The caller is found in the kernel's table by both ends of the connection")
  func table() {
    let table = Array(
      """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7        0 11 1
         1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 12 1
         2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000     7        0 13 1
         3: 0200007F:C002 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 14 1
         4: 0100007F:C003 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3
         5: 0000000000000000FFFF00000100007F:C004 0000000000000000FFFF00000100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 15 1
      """.utf8
    )
    let users = [0xC001, 0xC002, 0xC003, 0xC004, 0xC005].map { port in
      SocketOwner.users(
        of: .v4(address: 0x0100_007F, port: port),
        to: .v4(address: 0x0100_007F, port: 0x1F90),
        in: table
      )
    }
    // An end at another address is another connection; a socket without an owner has no user.
    #expect(users == [[1000], [], [], [1001], []])
  }
}
