import AcctPorts
import CLibSecret
import SessionBus

extension LibsecretChannel {
  /// Has the provider show a prompt, and returns the object that was made once the person has answered, if one was.
  ///
  /// This is libsecret's: it knows how to wait for the signal, for the provider's end and for a
  /// cancellation. It tells dismissed prompts and completed ones apart by the result alone, so a caller checks for
  /// itself that its change was made.
  ///
  /// - Throws: `KeyringFailure.timedOut` after 2 minutes, `unavailable` if the provider ended.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String? {
    loop.waitForPerson()
    let prompt = try unsafe makePrompt(path, of: provider)
    defer { unsafe libsecret.g_object_unref(prompt) }
    let performing = Completion(libsecret)
    unsafe libsecret.secret_prompt_perform(prompt, nil, nil, loop.cancellable, performing.callback, performing.data)
    let performed = try loop.result(of: performing)
    var error: UnsafeMutablePointer<GError>?
    let result = unsafe libsecret.secret_prompt_perform_finish(prompt, performed.result, &error)
    if unsafe error != nil { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    if loop.isOver { throw .timedOut }
    guard let result = unsafe result else {
      // libsecret takes the end of the provider for a dismissal.
      let asking = try send(.owner(of: provider), to: BusConnection.bus)
      if try reply(to: asking).errorName != nil { throw .wentAway }
      return nil
    }
    defer { unsafe libsecret.g_variant_unref(result) }
    guard unsafe libsecret.g_variant_classify(result) == G_VARIANT_CLASS_OBJECT_PATH,
      let path = unsafe libsecret.g_variant_get_string(result, nil)
    else { return nil }
    let object = unsafe String(cString: path)
    return object == "/" ? nil : object
  }

  private func makePrompt(
    _ path: String,
    of provider: String
  ) throws(KeyringFailure) -> UnsafeMutablePointer<SecretPrompt> {
    let making = Completion(libsecret)
    var libsecret = libsecret
    unsafe acct_prompt_new(&libsecret, pointer, provider, path, loop.cancellable, making.callback, making.data)
    let made = try loop.result(of: making)
    var error: UnsafeMutablePointer<GError>?
    guard
      let prompt = unsafe acct_prompt_new_finish(&libsecret, made.source, made.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    return unsafe prompt
  }
}
