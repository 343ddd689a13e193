import AcctTestSupport

/// One system call of a command, by its kind and its place among the calls of that kind.
struct FaultPoint: Hashable, CustomStringConvertible {
  let kind: String
  let number: Int

  var description: String { "\(kind):\(number)" }

  /// Whether it changes nothing.
  var onlyLooks: Bool { kind == "open" || kind == "read" }

  /// The faults of such a call.
  ///
  /// Opening and reading change nothing: who is killed there is killed before the next call that
  /// does, or after the last one that did.
  var faults: [Fault] {
    switch kind {
    case "open": [.error, .interrupted]
    case "read": [.error, .interrupted, .short]
    case "lock": [.error, .interrupted, .before, .after]
    case "create", "fsync": [.error, .full, .interrupted, .before, .after]
    case "write": Fault.allCases
    case "rename", "mkdir": [.error, .full, .before, .after]
    case "unlink": [.error, .before, .after]
    case "unix-connect", "inet-connect": [.error, .interrupted, .before, .after]
    // Sockets.
    default: [.error, .interrupted, .short, .before, .after]
    }
  }
}

/// A fault of a system call; `Tests/Torture/faults.c` says what each is.
enum Fault: String, CaseIterable {
  case error, full, interrupted, short, before, after

  /// Whether the process is killed.
  var kills: Bool { self == .before || self == .after }
}

/// A fault at one call.
struct Injection: Hashable, CustomStringConvertible {
  let point: FaultPoint
  let fault: Fault

  /// The same fault at the call of its kind before this one; `nil` for the first.
  var earlier: Injection? {
    guard point.number > 1 else { return nil }
    return Injection(point: FaultPoint(kind: point.kind, number: point.number - 1), fault: fault)
  }

  var description: String { "\(point) \(fault.rawValue)" }
}

/// Runs commands with a fault, or to see which calls they make.
struct FaultInjector {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command that nothing befalls, and returns it with the calls that it made.
  func count(_ command: ChildProcess) async throws -> (ChildProcess.Output, [FaultPoint]) {
    let (output, report) = try await run(command, [:])
    return (output, report)
  }

  /// Runs a command with a fault, and returns it with whether it came to the faulty call.
  func run(_ command: ChildProcess, _ injection: Injection) async throws -> (ChildProcess.Output, wasMet: Bool) {
    let (output, report) = try await run(
      command,
      ["FAULTS_AT": "\(injection.point)", "FAULTS_DO": injection.fault.rawValue]
    )
    return (output, !report.isEmpty)
  }

  private func run(
    _ command: ChildProcess,
    _ variables: [String: String]
  ) async throws -> (ChildProcess.Output, [FaultPoint]) {
    let report = try folder.file("report", containing: "")
    let reporting = ["LD_PRELOAD": Product.executable("libFaults.so"), "FAULTS_REPORT": report]
    let output = try await command.presetting(variables.merging(reporting) { $1 }).run()
    let text = try await ChildProcess("cat", [report]).run().text
    let points = text.split(separator: "\n").compactMap { line -> FaultPoint? in
      let words = line.split(separator: " ")
      guard words.count == 2, let number = Int(words[1]) else { return nil }
      return FaultPoint(kind: String(words[0]), number: number)
    }
    return (output, points)
  }
}

extension ChildProcess {
  /// The same command with variables that only the program itself sees: what brings it to its machine is left alone.
  func presetting(_ variables: [String: String]) -> ChildProcess {
    let words = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var preset = self
    guard program == "nsenter", let place = arguments.firstIndex(of: "--") else {
      preset.program = "env"
      preset.arguments = words + [program] + arguments
      return preset
    }
    preset.arguments.insert(contentsOf: ["env"] + words, at: place + 1)
    return preset
  }
}
