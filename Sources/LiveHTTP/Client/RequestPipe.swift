import AcctPorts
import Synchronization

/// A body on its way from its source to the transfer's thread, with a few parts in memory at most.
final class RequestPipe: Sendable {
  private let source: ByteSource
  private let state = Mutex(State())

  private struct State {
    var parts: [[UInt8]] = []
    /// The number of bytes of the first part that are sent already.
    var offset = 0
    var sent: Int64 = 0
    var isWaitedFor = false
    /// Stays set, unlike that, until it is read.
    var wasWaitedFor = false
    /// `true` if any of it was read: a server that is asked first may not want it.
    var isWanted = false
    var end: Result<Void, HTTPFailure>?
    var feeder: CheckedContinuation<Bool, Never>?
  }

  init(_ source: ByteSource) { self.source = source }

  var length: Int64? { source.length }

  /// `true` if the transfer waited for the source, at any time since the last call.
  func hasBeenWaitedFor() -> Bool {
    state.withLock { state in
      defer { state.wasWaitedFor = state.isWaitedFor }
      return state.wasWaitedFor
    }
  }

  /// The next bytes for the transfer, or the reason why there are none.
  enum Supply {
    case bytes(Int)
    case wait
    case end
    case failed(HTTPFailure)
  }

  /// Fills a buffer with the next bytes, as far as they are there.
  func draw(into buffer: UnsafeMutableRawBufferPointer) -> Supply {
    state.withLock { state in
      guard let part = state.parts.first else {
        switch state.end {
        case .failure(let failure): return .failed(failure)
        case .success:
          // A request that is shorter than it says would wait for its end for ever.
          guard let length, state.sent < length else { return .end }
          return .failed(.unsendable(reason: "the body became shorter while it was sent"))
        case nil:
          state.isWaitedFor = true
          state.wasWaitedFor = true
          state.isWanted = true
          state.feeder.take()?.resume(returning: true)
          return .wait
        }
      }
      // A file that grows meanwhile ends where it ended.
      let room = min(Int64(buffer.count), length.map { $0 - state.sent } ?? .max)
      let count = min(Int(room), part.count - state.offset)
      guard count > 0 else { return .end }
      unsafe part.withUnsafeBytes { bytes in
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
      }
      state.sent += Int64(count)
      state.offset += count
      if state.offset == part.count {
        state.parts.removeFirst()
        state.offset = 0
        state.feeder.take()?.resume(returning: true)
      }
      return .bytes(count)
    }
  }

  /// Reads the source to its end, at the pace of the transfer.
  ///
  /// - Parameter goOn: Is called when the transfer waits for the bytes that have come now.
  func feed(_ goOn: @Sendable () -> Void) async {
    while await hasRoom() {
      let part: [UInt8]?
      do { part = try await source.next() } catch {
        finish(.failure(.source(error)))
        return goOn()
      }
      guard let part else {
        finish(.success(()))
        return goOn()
      }
      let (isWanted, wasWaitedFor) = add(part)
      guard isWanted else { return }
      if wasWaitedFor { goOn() }
    }
  }

  /// Records that no more is wanted.
  func close() { finish(.failure(.cancelled)) }

  private func add(_ part: [UInt8]) -> (isWanted: Bool, wasWaitedFor: Bool) {
    state.withLock { state in
      guard state.end == nil else { return (false, false) }
      state.parts.append(part)
      defer { state.isWaitedFor = false }
      return (true, state.isWaitedFor)
    }
  }

  private func hasRoom() async -> Bool {
    await withCheckedContinuation { feeder in
      state.withLock { state in
        if state.end != nil {
          feeder.resume(returning: false)
        } else if state.isWanted && state.parts.count < 2 {
          feeder.resume(returning: true)
        } else {
          state.feeder = feeder
        }
      }
    }
  }

  private func finish(_ end: Result<Void, HTTPFailure>) {
    state.withLock { state in
      if state.end == nil { state.end = end }
      state.isWaitedFor = false
      state.feeder.take()?.resume(returning: false)
    }
  }
}
