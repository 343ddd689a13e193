import AcctTestSupport
import Glibc
import StrictJSON
import Synchronization
import Testing

/// Accounts on three machines, and what runs on each of them.
final class SharedSoakScene: Sendable {
  let fleet: Fleet
  let subjects = ["s1", "s2", "s3", "s4"]
  private let processes = Mutex<[[Int: RunningProcess]]>([[:], [:], [:]])

  /// Seconds that a request may take: a lock lasts 15 longer.
  static let timeout = 10
  static let lock = timeout + 15
  /// Far longer than any command may take: a queue of 30 behind a machine that is stopped for as long as a lock lasts.
  static let limit = Duration.seconds(300)

  init(on kind: EngineKind) async throws {
    let cables = kind == .etcd && geteuid() == 0
    // In seconds; half of it is over when a token is due.
    fleet = try await Fleet(
      on: kind,
      try await kind.start(cables: cables),
      ["dpop": "optional", "rs_nonce": false, "as_nonce": false, "lifetime": 10]
    )
    for subject in subjects { try await fleet.importing(request(subject)) }
  }

  /// A session: every other one is bound to a key.
  func request(_ subject: String) -> JSON { ["sub": .string(subject), "dpop": .bool(subject < "s3")] }

  func token(of subject: String, in home: AcctHome) -> ChildProcess {
    home.command(["token", "-a", subject, "--no-input", "--timeout", "\(Self.timeout)"])
  }

  /// Runs a command on a machine to its end, known to those who stop the machine.
  func run(_ command: ChildProcess, on machine: Int, by worker: Int) async throws -> ChildProcess.Output {
    let process = try RunningProcess(command)
    processes.withLock { $0[machine][worker] = process }
    defer { processes.withLock { $0[machine][worker] = nil } }
    return await process.output(within: Self.limit)
  }

  /// Stops all that runs on a machine, and returns what wakes it again.
  func stop(_ machine: Int) -> () -> Void {
    let stopped = processes.withLock { Array($0[machine].values) }
    for process in stopped { process.send(SIGSTOP) }
    return { for process in stopped { process.wake() } }
  }

  /// When the tokens were spent first that were spent twice, in seconds since 1970.
  func replays() async throws -> [Double] {
    var spent: [String: Double] = [:]
    var replays: [Double] = []
    for request in try await fleet.server.requests(to: "token") {
      guard let token = request["refresh_token"]?.stringValue, let time = request["answered_at"]?.numberValue?.double
      else { continue }
      if request["status"] == 200 {
        spent[token] = time
      } else if let first = spent[token], request["description"]?.stringValue?.contains("used before") == true {
        replays.append(first)
      }
    }
    return replays
  }
}

/// A time in which what a machine has got may not have reached the engine.
struct SoakStop: Sendable {
  let begin: Double
  let end: Double

  static func now() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Whether an answer that was given then may have come to a machine that was stopped: on a busy machine what is
  /// done with an answer takes a second.
  func covers(_ time: Double) -> Bool { begin - 2 <= time && time <= end }
}
