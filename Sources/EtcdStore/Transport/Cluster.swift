import AcctModel
import Secrets
import AcctPorts
import Curl
import Glibc
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
