import AcctModel
import AcctPorts
import Secrets
import Synchronization

extension Rehearsal {
  /// The name that stands in a hint for a file that a person has to have.
  static let personsFile = "FILE"

  /// Streams that keep what is said.
  func streams(over base: Streams) -> Streams {
    var streams = Streams(
      output: { bytes throws(StreamFailure) in
        let text = text(of: bytes)
        self.state.withLock { $0.output += text }
      },
      notice: { line in self.state.withLock { $0.lines.append(line) } },
      input: { path, limit throws(StreamFailure) in
        guard path != Self.personsFile, path != "-" else { throw self.leave(.failed(name: path, reason: "away")) }
        return try base.input(path, limit)
      },
      outputIsTerminal: false,
      source: { path throws(StreamFailure) in throw self.leave(.failed(name: path, reason: "away")) },
      sink: { _ throws(StreamFailure) in
        ByteSink(write: { _ throws(StreamFailure) in }, finish: {}, discard: {}, isAtomic: true)
      }
    )
    streams.publish = { _, _ throws(PublishFailure) in }
    return streams
  }

  /// A terminal without a person before it.
  func terminal(_ canAsk: Bool) -> Terminal {
    Terminal(
      canAsk: { canAsk },
      ask: { _ in self.leave(nil) },
      askSecret: { _ in self.leave(nil) },
      lines: { _ in self.leave(AsyncStream { $0.finish() }) },
      interact: { _ in self.leave(false) }
    )
  }

  /// Takes servers, browsers and programs away from a world.
  func leaveOutside(_ world: inout World) {
    world.transport = HTTPTransport(
      send: { _ throws(HTTPFailure) in throw self.leave(.cancelled) },
      stream: { _ throws(HTTPFailure) in throw self.leave(.cancelled) }
    )
    world.browser = Browser(open: { _ in self.leave(false) }, openWith: { _, _ in self.leave(false) })
    world.listener = CallbackListener { redirect throws(ListenFailure) in
      throw self.leave(.failed(port: redirect.port, reason: "away"))
    }
    world.dns = DNS { _, _ throws(DNSFailure) in throw self.leave(.noAnswer) }
    world.signals = Signals(holdBack: { HeldSignals {} }, watch: { _ in HeldSignals {} })
    world.exec = exec
    world.localServer = LocalServer { place, _ throws(ListenFailure) in
      throw self.leave(.unusableSocket(path: "\(place)", reason: "away"))
    }
    world.programs.run = { _ throws(ProgramFailure) in throw self.leave(.cancelled) }
    world.maintenance.close = { _ throws(FilesFailure) in }
    world.maintenance.discard = { _ throws(FilesFailure) in }
    world.maintenance.sweep = { 0 }
    world.foreignFiles.settings = .none
    let files = world.secretFiles
    world.secretFiles.read = { path, limit, role throws(SecretFileFailure) in
      guard path != Self.personsFile else { throw self.leave(.missing(path: path)) }
      return try files.read(path, limit, role)
    }
    world.secretFiles.write = { _, _, _ throws(SecretFileFailure) in }
  }

  private var exec: Exec {
    Exec {
      PreparedExec(
        find: { program throws(ExecFailure) in throw self.leave(.notFound(program: program)) },
        attended: AttendedExec(
          makeFolder: { () throws(MemoryFolderFailure) in
            throw self.leave(MemoryFolderFailure(path: "away", reason: "away"))
          },
          start: { _, _ throws(ExecFailure) in { 0 } }
        ),
        become: { _, _ throws(ExecFailure) in }
      )
    }
  }
}
