import AcctPorts
import CLibSecret

extension Connection {
  /// Has the provider show a prompt, and returns what came of it once the person has answered.
  ///
  /// This is libsecret's: it knows how to wait for the signal, for the provider's end and for a
  /// cancellation. It tells dismissed prompts and completed ones apart by the result alone, so a
  /// caller looks for itself at what it wanted to have changed.
  ///
  /// - Throws: `KeyringFailure.timedOut` after 2 minutes, `unavailable` if the provider went away.
  func perform(prompt path: String) throws(KeyringFailure) -> Variant? {
    loop.waitForPerson()
    let making = Completion()
    unsafe acct_prompt_new(
      pointer,
      provider,
      path,
      loop.cancellable,
      making.callback,
      making.data
    )
    let made = try loop.result(of: making)
    var error: UnsafeMutablePointer<GError>?
    guard
      let object = unsafe g_async_initable_new_finish(
        OpaquePointer(made.source),
        made.result,
        &error
      )
    else { throw unsafe KeyringFailure(consuming: error) }
    defer { unsafe g_object_unref(object) }
    let prompt = unsafe UnsafeMutableRawPointer(object).assumingMemoryBound(to: SecretPrompt.self)

    let performing = Completion()
    unsafe secret_prompt_perform(
      prompt,
      nil,
      nil,
      loop.cancellable,
      performing.callback,
      performing.data
    )
    let performed = try loop.result(of: performing)
    let result = unsafe secret_prompt_perform_finish(prompt, performed.result, &error)
    if unsafe error != nil { throw unsafe KeyringFailure(consuming: error) }
    if loop.isOver { throw .timedOut }
    return unsafe result.map { unsafe Variant($0) }
  }
}
