import AcctPorts
import CLinux
import Glibc
import LiveSystem
import Synchronization
import Testing

/// Each in a process of its own, since signals are the whole process's.
///
/// What is printed shows how far a process came before a signal ended it.
@Suite("The live signals")
struct SignalsTests {
  @Test("A signal that is held back takes effect when released", arguments: [SIGHUP, SIGINT, SIGTERM])
  func heldBack(_ signal: Int32) async {
    // An exit test takes no values along.
    let result =
      switch signal {
      case SIGHUP:
        await #expect(processExitsWith: .signal(SIGHUP), observing: [\.standardOutputContent]) {
          await sendWhileHeld(SIGHUP)
        }
      case SIGINT:
        await #expect(processExitsWith: .signal(SIGINT), observing: [\.standardOutputContent]) {
          await sendWhileHeld(SIGINT)
        }
      default:
        await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
          await sendWhileHeld(SIGTERM)
        }
      }
    #expect(output(result).contains("held"))
    #expect(!output(result).contains("survived"))
  }

  @Test("A signal is held back until the last of several releases, and takes effect once")
  func nested() async {
    let result = await #expect(processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]) {
      let outer = Signals.live().holdBack()
      let inner = Signals.live().holdBack()
      inner.release()
      inner.release()
      kill(getpid(), SIGTERM)
      report("held")
      let third = Signals.live().holdBack()
      outer.release()
      report("still held")
      third.release()
      await forEver()
    }
    #expect(output(result).contains("still held"))
  }

  @Test("A signal that did not come keeps its handler after the release")
  func restored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      signal(SIGTERM) { _ in _exit(7) }
      Signals.live().holdBack().release()
      Signals.live().watch { _exit(8) }.release()
      kill(getpid(), SIGTERM)
      await forEver()
    }
  }

  @Test("A signal that was ignored from the start stays ignored")
  func ignored() async {
    await #expect(processExitsWith: .exitCode(0)) {
      signal(SIGHUP, SIG_IGN)
      let hold = Signals.live().holdBack()
      #expect(areHangupsIgnored())
      hold.release()
      let watch = Signals.live().watch { _exit(8) }
      #expect(areHangupsIgnored())
      watch.release()
      #expect(areHangupsIgnored())
      exit(0)
    }
  }

  @Test("A watched signal is reported to each watch once and does not end the process")
  func watched() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (calls, call) = AsyncStream.makeStream(of: String.self)
      var told = calls.makeAsyncIterator()
      let first = Signals.live().watch { call.yield("first") }
      kill(getpid(), SIGINT)
      #expect(await told.next() == "first")
      let second = Signals.live().watch { call.yield("second") }
      kill(getpid(), SIGINT)
      #expect(await told.next() == "second")
      call.finish()
      #expect(await told.next() == nil)
      first.release()
      second.release()
      exit(0)
    }
  }

  @Test("A signal that is held back is reported to a watch after the release")
  func heldFromWatch() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (calls, call) = AsyncStream.makeStream(of: String.self)
      var told = calls.makeAsyncIterator()
      let watch = Signals.live().watch { call.yield("signal") }
      let hold = Signals.live().holdBack()
      kill(getpid(), SIGTERM)
      call.yield("work done")
      hold.release()
      #expect(await told.next() == "work done")
      #expect(await told.next() == "signal")
      watch.release()
      exit(0)
    }
  }

  @Test("A second signal does not end the process either, until the watch ends")
  func impatient() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let (calls, call) = AsyncStream.makeStream(of: Void.self)
      let watch = Signals.live().watch { call.yield() }
      kill(getpid(), SIGHUP)
      #expect(await calls.first { true } != nil)
      takeHere(SIGHUP)
      takeHere(SIGINT)
      watch.release()
      kill(getpid(), SIGTERM)
      await forEver()
    }
  }

  @Test("A signal can be watched again")
  func again() async {
    await #expect(processExitsWith: .exitCode(0)) {
      for _ in 0..<3 {
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let watch = Signals.live().watch { call.yield() }
        kill(getpid(), SIGINT)
        #expect(await calls.first { true } != nil)
        watch.release()
      }
      exit(0)
    }
  }

  private func output(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
  }
}

private func sendWhileHeld(_ signal: Int32) async {
  let hold = Signals.live().holdBack()
  kill(getpid(), signal)
  report("held")
  hold.release()
  await forEver()
}

/// The signal that was sent ends the process, at whatever thread it arrives.
private func forEver() async {
  try? await Task.sleep(for: .seconds(30))
  report("survived")
}

/// Sends a signal to this thread, which has taken it on return; other threads take theirs any time.
private func takeHere(_ signal: Int32) {
  var one = sigset_t()
  unsafe sigemptyset(&one)
  unsafe sigaddset(&one, signal)
  unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
  raise(signal)
}

/// Whether they were; from here on they are.
private func areHangupsIgnored() -> Bool {
  unsafe unsafeBitCast(signal(SIGHUP, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}

/// At once, since the process may not live long enough for a buffer to be written.
private func report(_ text: String) {
  let bytes = Array("\(text)\n".utf8)
  _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
}
