import AcctPorts

/// Does `work`, and cancels it when so many seconds have passed.
///
/// The clock runs from before the first byte to after the last, whatever `work` waits for;
/// therefore `work` has to heed cancellation everywhere.
///
/// - Throws: ``HTTPFailure/timedOut``, ``HTTPFailure/cancelled`` if the caller's task was
///   cancelled, and what `work` throws.
func withinDeadline<Answer: Sendable>(
  seconds: Int,
  _ work: @escaping @Sendable () async throws(HTTPFailure) -> Answer
) async throws(HTTPFailure) -> Answer {
  typealias Outcome = Result<Answer, HTTPFailure>
  let outcome = await withTaskGroup(of: Outcome.self) { group in
    group.addTask {
      do throws(HTTPFailure) { return .success(try await work()) } catch { return .failure(error) }
    }
    group.addTask {
      do { try await Task.sleep(for: .seconds(seconds)) } catch { return .failure(.cancelled) }
      return .failure(.timedOut)
    }
    defer { group.cancelAll() }
    return await group.next() ?? .failure(.cancelled)
  }
  return try outcome.get()
}
