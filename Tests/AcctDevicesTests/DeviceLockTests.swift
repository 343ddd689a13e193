import AcctDevices
import AcctModel
import Testing

@Suite("The turns at a device")
struct DeviceLockTests {
  private let turns = DeviceLock()

  /// Starts a task that takes a turn, and returns when it waits; the task's value is whether it got it.
  private func waiter() async -> Task<Bool, Never> {
    let before = turns.length
    let task = Task { [turns] in
      do throws(HardwareKeyFailure) {
        try await turns.take()
        return true
      } catch { return false }
    }
    while turns.length == before { await Task.yield() }
    return task
  }

  @Test("Tasks use a device one after the other, in the order in which they came")
  func order() async throws {
    try await turns.take()
    let (first, second) = (await waiter(), await waiter())
    turns.pass()
    #expect(await first.value)
    #expect(turns.length == 1)
    turns.pass()
    #expect(await second.value)
    turns.pass()
    try await turns.take()
  }

  @Test("A task that is cancelled waits no longer, and the next one gets its turn")
  func cancelled() async throws {
    try await turns.take()
    let (first, second) = (await waiter(), await waiter())
    first.cancel()
    #expect(await !first.value)
    #expect(turns.length == 1)
    turns.pass()
    #expect(await second.value)
  }

  @Test("A task that was cancelled before takes a turn that is free, and waits for none")
  func cancelledBefore() async throws {
    let taken = Task { [turns] in
      while !Task.isCancelled { await Task.yield() }
      do throws(HardwareKeyFailure) {
        try await turns.take()
      } catch { return false }
      return true
    }
    taken.cancel()
    #expect(await taken.value)
    let late = Task { [turns] in
      while !Task.isCancelled { await Task.yield() }
      do throws(HardwareKeyFailure) {
        try await turns.take()
        return nil as HardwareKeyFailure?
      } catch { return error }
    }
    late.cancel()
    #expect(await late.value == .cancelled)
    #expect(turns.length == 0)
  }
}
