import AcctPorts
import Synchronization

/// A body on its way from the transfer's thread to its reader, with two parts in memory at most:
/// the one that is read, and the one that fills up.
final class ResponsePipe: Sendable {
  typealias Part = Result<[UInt8]?, HTTPFailure>

  /// In bytes; large enough that handing it over costs next to nothing.
  private static let partSize = 1 << 20

  private let state: Mutex<State>

  private struct State {
    let reuses: Bool
    var filling: [UInt8] = []
    /// The part that was read last, if its memory is to be used again.
    var lent: [UInt8] = []
    var end: Part?
    var reader: CheckedContinuation<Part, Never>?
    var isHeldUp = false
    /// Stays set, unlike that, until it is read.
    var wasHeldUp = false
    var isGrowing = false

    mutating func takePart() -> [UInt8] {
      let part = filling
      guard reuses else {
        filling = []
        return part
      }
      filling = lent
      lent = part
      // In place, unless its reader still uses it.
      filling.removeAll(keepingCapacity: true)
      return part
    }

    /// The next part for a reader; `nil` if it has to wait.
    mutating func takeNext() -> Part? { filling.isEmpty ? end : .success(takePart()) }
  }

  /// - Parameter reuses: Use the memory of a part again, once its reader has released it: new
  ///   memory for each costs more than the copying. Not for a part that its reader wipes.
  init(reuses: Bool) { state = Mutex(State(reuses: reuses)) }

  /// Takes bytes, unless the reader has to catch up first.
  ///
  /// - Returns: `true` if they were taken; if not, ``next()`` will say when to offer them again.
  func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if !state.filling.isEmpty && state.filling.count + bytes.count > Self.partSize {
        guard let reader = state.reader.take() else {
          state.isHeldUp = true
          state.wasHeldUp = true
          return false
        }
        reader.resume(returning: .success(state.takePart()))
      }
      // Grows as it must: most answers are small, and free(3) wipes all of the reserved memory.
      unsafe state.filling.append(contentsOf: bytes)
      state.isGrowing = true
      return true
    }
  }

  /// Hands the bytes that have come to a reader that waits.
  ///
  /// - Parameter evenIfGrowing: `true` to do so even if something came since the last call.
  /// - Returns: `true` if it need not be called before more comes.
  func flush(evenIfGrowing: Bool) -> Bool {
    state.withLock { state in
      let isGrowing = state.isGrowing
      state.isGrowing = false
      guard !isGrowing || evenIfGrowing else { return false }
      if !state.filling.isEmpty, let reader = state.reader.take() {
        reader.resume(returning: .success(state.takePart()))
      }
      return true
    }
  }

  /// Records that no more will come.
  ///
  /// - Parameter failure: Why that is too early, if it is.
  func end(_ failure: HTTPFailure?) {
    state.withLock { state in
      guard state.end == nil else { return }
      let end: Part = failure.map { .failure($0) } ?? .success(nil)
      state.end = end
      if let reader = state.reader.take() {
        reader.resume(returning: state.filling.isEmpty ? end : .success(state.takePart()))
      }
    }
  }

  /// `true` if bytes were rejected for lack of a reader, at any time since the last call.
  func hasBeenHeldUp() -> Bool {
    state.withLock { state in
      defer { state.wasHeldUp = state.isHeldUp }
      return state.wasHeldUp
    }
  }

  /// Returns the next part once it is there.
  ///
  /// - Parameter goOn: Is called if bytes were rejected that fit now.
  /// - Returns: The part, `nil` at the end, or why that came too early.
  func next(_ goOn: () -> Void) async -> Part {
    await withCheckedContinuation { reader in
      let wasHeldUp = state.withLock { state in
        if let part = state.takeNext() { reader.resume(returning: part) } else { state.reader = reader }
        defer { state.isHeldUp = false }
        return state.isHeldUp
      }
      if wasHeldUp { goOn() }
    }
  }

  /// Returns the next part if it is there.
  ///
  /// - Parameter goOn: Is called if bytes were rejected that fit now.
  /// - Returns: What ``next(_:)`` would return at once; `nil` if it would wait.
  func nextAtHand(_ goOn: () -> Void) -> Part? {
    let (part, wasHeldUp) = state.withLock { state -> (Part?, Bool) in
      guard let part = state.takeNext() else { return (nil, false) }
      defer { state.isHeldUp = false }
      return (part, state.isHeldUp)
    }
    if wasHeldUp { goOn() }
    return part
  }
}
