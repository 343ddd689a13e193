/// Networks of their own for the members of a cluster, each of which can be cut off from all others.
///
/// Each is a network namespace with a cable (veth(4)) to a switch, which is one too; so is a cable's end here.
/// All of it ends with the test, however that ends: what holds the namespaces reads from there.
package final class SeparateNetworks: Sendable {
  /// The address of each member.
  package let hosts: [String]
  private let input: OpenInput
  private let switchboard: RunningProcess
  private let members: [RunningProcess]
  /// The switch's id, then the members'.
  private let ids: [String]

  /// Makes networks for so many members.
  ///
  /// - Throws: ``ProcessFailure`` or ``HarnessFailure`` where the user may not, or where there is no ip(8).
  package init(members count: Int) async throws {
    input = try OpenInput()
    let holder = ChildProcess("unshare", ["--net", "sh", "-euc", "echo $$; exec cat"])
    switchboard = try RunningProcess(input.feeding(holder))
    var held: [RunningProcess] = []
    for _ in 0..<count { held.append(try RunningProcess(input.feeding(holder))) }
    members = held
    var ids: [String] = []
    for process in [switchboard] + held { ids.append(try await process.firstLine()) }
    self.ids = ids
    // A range for measurements between networks (RFC 2544), which no machine is at.
    let network = "198.\(Int.random(in: 18...19)).\(Int.random(in: 0...255))"
    hosts = (1...count).map { "\(network).\($0 + 10)" }
    let cable = "acct\(String(UInt32.random(in: 0...UInt32.max), radix: 16))"
    let made = try await ChildProcess("sh", ["-euc", Self.plug, network, cable] + ids).run()
    guard made.status == 0 else { throw HarnessFailure("networks: \(made.errorText)") }
  }

  private static let plug = #"""
    network=$0 cable=$1 switch=$2
    shift 2
    at_switch() { nsenter --target "$switch" --net -- "$@"; }
    at_switch ip link add bridge type bridge
    at_switch ip link set bridge up
    ip link add "$cable" type veth peer name outside netns "$switch"
    ip address add "$network.1/24" dev "$cable"
    ip link set "$cable" up
    at_switch ip link set outside master bridge up
    number=0
    for id; do
      number=$((number + 1))
      at_switch ip link add "member$number" type veth peer name inside netns "$id"
      at_switch ip link set "member$number" master bridge up
      nsenter --target "$id" --net -- sh -euc '
        ip link set lo up
        ip address add "$0" dev inside
        ip link set inside up' "$network.$((number + 10))/24"
    done
    """#

  /// The words before a command that put it at a member.
  package func runner(_ member: Int) -> [String] { ["nsenter", "--target", ids[member + 1], "--net", "--"] }

  /// Pulls a member's cable.
  package func cutOff(_ member: Int) async throws { try await set(member, "down") }

  /// Plugs it in again.
  package func reconnect(_ member: Int) async throws { try await set(member, "up") }

  private func set(_ member: Int, _ state: String) async throws {
    let words = ["--target", ids[0], "--net", "--", "ip", "link", "set", "member\(member + 1)"]
    let done = try await ChildProcess("nsenter", words + [state]).run()
    guard done.status == 0 else { throw HarnessFailure(done.errorText) }
  }
}
