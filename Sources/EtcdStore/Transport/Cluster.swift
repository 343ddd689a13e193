import AcctModel
import AcctPorts
import CLibCurl
import Curl
import FleetPorts
import Glibc
import PrivateFiles
import Secrets
import Synchronization

/// The members of a cluster, one of which answers a call.
///
/// Calls may come from several threads. One that finds the connection of the last call free uses it; others have
/// connections of their own meanwhile.
final class Cluster: Sendable {
  private let settings: SharedKeyringSettings.Etcd
  private let state = Mutex(State())

  private struct State {
    var members: [Member]?
    /// The member that answered last.
    var preferred = 0
    /// The user's, as the last to ask for it got it.
    var token: Secret?
    var idle: Connections?
  }

  init(_ settings: SharedKeyringSettings.Etcd) { self.settings = settings }

  /// The reply to a call.
  struct Reply {
    var message: [UInt8]
    /// `true` if an earlier attempt of the same call, which was not answered, may have been carried out.
    var mayBeDoneBefore: Bool
  }

  /// Closes the connection that is kept, and forgets the user's token.
  func end() {
    let idle = state.withLock { state in
      state.token = nil
      return state.idle.take()
    }
    _ = idle
  }

  /// The time limit of a call, for all members together.
  private static let deadline = Duration.seconds(5)
  /// The time limit of one of several members: the others need the rest.
  private static let share = Duration.seconds(2)

  /// Asks one member after another, until one answers or the time is over.
  ///
  /// - Throws: The failure that says most about why no member answered.
  func call(_ method: Exchange.Method, _ message: MessageWriter) throws(SharedStoreFailure) -> Reply {
    let end = ContinuousClock.now + Self.deadline
    let members = try members()
    var round = Round(members.count, startingAt: state.withLock { $0.preferred })
    let secret = Secret(message.bytes)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      // The time left at the end is too short to tell a member that hangs from one that is slow.
      guard !round.hasFailed || left > .milliseconds(250) else { throw round.failure }
      let limit = members.count == 1 ? left : min(left, Self.share)
      do throws(Setback) {
        let reply = try ask(members[round.current], method, secret, within: limit)
        state.withLock { $0.preferred = round.current }
        return Reply(message: reply, mayBeDoneBefore: round.mayBeDone)
      } catch {
        let pause = try round.goOn(after: error, wasCutShort: limit < Exchange.connectTimeout) {
          state.withLock { $0.token = nil }
        }
        usleep(UInt32(min(pause, max(.zero, ContinuousClock.now.duration(to: end))).milliseconds * 1000))
      }
    }
  }

  /// Asks one member, as the user if there is one.
  private func ask(
    _ member: Member,
    _ method: Exchange.Method,
    _ message: Secret,
    within limit: Duration
  ) throws(Setback) -> [UInt8] {
    let end = ContinuousClock.now + limit
    let connections = try takeConnections()
    // A connection of a request that failed is not used again: it may lead to a member that hangs.
    let token = try token(of: member, on: connections, within: limit)
    let request = request(member, method, message, token: token)
    let left = max(.milliseconds(1), ContinuousClock.now.duration(to: end))
    let reply = try Exchange(request, try curl()).run(on: connections, within: left)
    state.withLock { $0.idle = connections }
    return reply
  }

  private func request(
    _ member: Member,
    _ method: Exchange.Method,
    _ message: Secret,
    token: Secret?
  ) -> Exchange.Request {
    Exchange.Request(
      member: member,
      method: method,
      message: message,
      token: token,
      identity: Exchange.Identity(certificate: settings.certificate, key: settings.key, authority: settings.authority)
    )
  }

  /// The user's token: the last one, or a new one for the password.
  private func token(
    of member: Member,
    on connections: Connections,
    within limit: Duration
  ) throws(Setback) -> Secret? {
    guard let user = settings.user else { return nil }
    if let token = state.withLock({ $0.token }) { return token }
    let password = try PasswordFile.read(settings.passwordFile)
    let login = AuthenticateRequest(user: user, password: password).message
    let request = request(member, .authenticate, login, token: nil)
    do throws(Setback) {
      var reply = try Exchange(request, try curl()).run(on: connections, within: limit)
      defer { wipe(&reply) }
      let token: Secret
      do throws(WireFlaw) { token = try AuthenticateResponse(parsing: reply[...]).token } catch {
        throw Setback(error, at: member.place)
      }
      state.withLock { $0.token = token }
      return token
    } catch {
      // Nothing but the authentication was asked for so far.
      throw Setback(error.failure, error.next)
    }
  }

  private func takeConnections() throws(Setback) -> Connections {
    if let idle = state.withLock({ $0.idle.take() }) { return idle }
    return try Connections(try curl())
  }

  private func curl() throws(Setback) -> CurlTable {
    do throws(CurlTableFailure) { return try CurlTable.loaded() } catch {
      throw Setback(.failed(reason: error.reason), .nothing)
    }
  }

  private func members() throws(SharedStoreFailure) -> [Member] {
    if let members = state.withLock({ $0.members }) { return members }
    var members: [Member] = []
    for endpoint in settings.endpoints { members.append(try Member(endpoint)) }
    guard !members.isEmpty else { throw .failed(reason: "no member of the cluster is set") }
    state.withLock { $0.members = members }
    return members
  }
}

/// libcurl's connections: one request at a time leaves its own for the next.
@safe final class Connections: @unchecked Sendable {
  private let curl: CurlTable
  private let multi: UnsafeMutableRawPointer

  init(_ curl: CurlTable) throws(Setback) {
    guard let multi = unsafe curl.functions.pointee.multi_init() else { throw Exchange.noMemory }
    self.curl = curl
    unsafe self.multi = multi
  }

  deinit { _ = unsafe curl.functions.pointee.multi_cleanup(multi) }

  /// Performs a request, and waits for its end.
  ///
  /// - Parameters:
  ///   - easy: The request's handle.
  ///   - limit: The handle has it, too; it is kept here in case libcurl does not notice.
  /// - Returns: libcurl's result.
  /// - Throws: A ``Setback`` if libcurl has no memory.
  func perform(_ easy: UnsafeMutableRawPointer, within limit: Duration) throws(Setback) -> CURLcode {
    let functions = unsafe curl.functions.pointee
    guard unsafe functions.multi_add_handle(multi, easy) == CURLM_OK else { throw Exchange.noMemory }
    defer { _ = unsafe functions.multi_remove_handle(multi, easy) }
    let end = ContinuousClock.now + limit + .milliseconds(100)
    while ContinuousClock.now < end {
      var running: Int32 = 0
      _ = unsafe functions.multi_perform(multi, &running)
      var left: Int32 = 0
      while let message = unsafe functions.multi_info_read(multi, &left) {
        if unsafe message.pointee.msg == CURLMSG_DONE { return unsafe acct_curl_result(message) }
      }
      _ = unsafe functions.multi_poll(multi, nil, 0, 200, nil)
    }
    return CURLE_OPERATION_TIMEDOUT
  }
}

/// A member of a cluster, by the address at which it serves clients.
struct Member: Sendable {
  let origin: Origin

  /// Parses `https://HOST:PORT`.
  ///
  /// - Throws: ``SharedStoreFailure/failed(reason:)``.
  init(_ endpoint: String) throws(SharedStoreFailure) {
    // Plain http would show the password and every key, and what is stored could be changed on the way.
    guard let origin = try? Origin(endpoint), origin.scheme == .https else {
      throw .failed(reason: "\(printable(endpoint)) is not the https address of a member")
    }
    self.origin = origin
  }

  /// The member's name in messages, always with its port.
  var place: String { "\(origin.host):\(origin.port)" }
}

/// The file with a user's password: its first line.
enum PasswordFile {
  /// The most bytes of the file.
  private static let limit = 4096

  /// Reads the password; the file is the user's own, and no one else's to read.
  ///
  /// - Throws: A ``Setback`` that ends the call.
  static func read(_ path: String?) throws(Setback) -> Secret {
    guard let path else { throw Setback(.denied(reason: "a user is set, but no file with the password"), .nothing) }
    do throws(FileError) {
      var line = try Descriptor.firstLine(of: path, limit: limit)
      return Secret(consuming: &line)
    } catch {
      let reason = "the password can't be read from \(printable(path)): \(error.reason)"
      throw Setback(.denied(reason: reason), .nothing)
    }
  }
}

/// The member to ask next, and the knowledge from those that failed.
struct Round {
  /// The member to ask.
  private(set) var current: Int
  /// `true` if a member may have carried the call out, or may yet.
  private(set) var mayBeDone = false
  /// The failure that says most, and latest, about why no member has answered.
  private(set) var failure = SharedStoreFailure.timedOut
  private let count: Int
  private let first: Int
  private(set) var hasFailed = false
  private var hasLoggedInAgain = false
  /// Members that are of no use to this machine as things are.
  private var useless: Set<Int> = []

  init(_ count: Int, startingAt first: Int) {
    self.count = count
    self.first = first
    current = first
  }

  /// Notes a member's setback, and turns to the next.
  ///
  /// - Parameters:
  ///   - setback: The member's setback.
  ///   - wasCutShort: `true` if it had less time than a connection may take, since the call's time was nearly over;
  ///     that it has not answered then says nothing.
  ///   - logOut: Has the user authenticated again.
  /// - Returns: The pause before the next request: a while after each round, in which a leader may be elected.
  /// - Throws: The failure, if no member will do better.
  mutating func goOn(
    after setback: Setback,
    wasCutShort: Bool,
    _ logOut: () -> Void
  ) throws(SharedStoreFailure) -> Duration {
    if setback.mayBeDone { mayBeDone = true }
    let saysLittle = wasCutShort && setback.failure == .timedOut
    if !hasFailed || !saysLittle && setback.failure.weight >= failure.weight { failure = setback.failure }
    hasFailed = true
    switch setback.next {
    case .nothing: throw setback.failure
    case .login:
      guard !hasLoggedInAgain else { throw setback.failure }
      hasLoggedInAgain = true
      hasFailed = false
      logOut()
      return .zero
    case .anotherMember:
      useless.insert(current)
      guard useless.count < count else { throw failure }
    case .anyMember: useless.remove(current)
    }
    current = (current + 1) % count
    return current == first ? .milliseconds(100) : .zero
  }
}
