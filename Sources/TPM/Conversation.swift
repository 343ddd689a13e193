import AcctModel
import Secrets

/// Commands and replies on one link, and the objects that they left in the TPM.
struct Conversation: ~Copyable {
  private let link: Link
  /// For all of it: a TPM that stalls takes no more time in several commands than in one.
  private let end: Deadline
  private var hasBegun = false
  private var isBroken = false
  private var hasSwept = false
  private var loaded: [UInt32] = []

  /// Opens the link.
  ///
  /// - Parameters:
  ///   - address: The address of the TPM.
  ///   - end: When all of it must be done, the waiting for other callers included.
  /// - Throws: As ``Link/init(to:until:)``.
  init(with address: TPMAddress, until end: Deadline) throws(HardwareKeyFailure) {
    self.end = end
    link = try Link(to: address, until: end)
  }

  /// Gives a command, again and again where the TPM asks for that, and returns the reply to it.
  mutating func run(_ command: consuming CommandWriter) throws(HardwareKeyFailure) -> Reply {
    command.finish()
    defer { command.wipe() }
    var pause: Int32 = 1
    var refusal: ResponseCode?
    while true {
      let reply: Reply
      do throws(HardwareKeyFailure) { reply = try exchange(command, until: end) } catch {
        // The time may end during one more attempt; the TPM's earlier reply counts then.
        guard let refusal, end.left <= 0 else { throw error }
        throw refusal.failure(of: command.code)
      }
      if reply.code == .success {
        if command.code.returnsHandle { loaded.append(reply.handle) }
        return reply
      }
      if reply.code.lacksRoom, !link.hasResourceManager, !hasSwept {
        hasSwept = true
        try sweep()
        continue
      }
      guard reply.code.asksToTryAgain || reply.code.lacksRoom, end.left > 0 else {
        throw reply.code.failure(of: command.code)
      }
      refusal = reply.code
      end.pause(pause)
      pause = min(2 * pause, 256)
    }
  }

  /// Removes the loaded objects, unless the kernel does.
  ///
  /// A failure is not one of the operation, which has its result: the next caller that finds no room sweeps.
  mutating func leave() {
    guard !link.hasResourceManager else { return }
    // An operation whose time is over leaves nothing behind either, if the TPM answers at all.
    let end = Deadline(after: Self.farewell)
    for handle in loaded.reversed() where !isBroken {
      var command = CommandWriter.flushContext(handle)
      command.finish()
      _ = try? exchange(command, until: end)
    }
  }

  private static let farewell = Duration.seconds(1)

  /// Removes the objects that killed processes have left in a TPM without a resource manager.
  ///
  /// There is one caller at a time, so it is not in use.
  private mutating func sweep() throws(HardwareKeyFailure) {
    let listed = try run(.getCapability(Capability.handles, from: Handle.firstTransient, count: 64))
    for handle in try listed.handles()
    where Handle.isTransient(handle) && !loaded.contains(handle) { _ = try run(.flushContext(handle)) }
  }

  private mutating func exchange(_ command: CommandWriter, until end: Deadline) throws(HardwareKeyFailure) -> Reply {
    do throws(HardwareKeyFailure) {
      let bytes = try link.exchange(command.bytes, until: end)
      hasBegun = true
      return try Reply(bytes, to: command.code)
    } catch {
      isBroken = true
      // A caller of a bare TPM is connected while others keep the TPM from its first command; later ones have begun.
      guard hasBegun, error == .busy else { throw error }
      throw .failed(reason: "\(link.name) does not answer")
    }
  }
}
