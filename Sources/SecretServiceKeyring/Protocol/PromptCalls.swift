import Secrets
import SessionBus

/// The calls and signals of a prompt of the freedesktop Secret Service API, draft 0.2.
enum PromptCalls {
  private static let interface = "org.freedesktop.Secret.Prompt"

  /// Performs a prompt, which asks the person if it must; there is no window to ask over.
  static func perform(_ prompt: String) -> BusCall<Void> {
    var arguments = WireWriter()
    arguments.string("")
    return BusCall(
      path: prompt,
      interface: interface,
      method: "Prompt",
      signature: "s",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
  }

  /// Withdraws a prompt.
  static func dismiss(_ prompt: String) -> BusCall<Void> {
    BusCall(path: prompt, interface: interface, method: "Dismiss", answerSignature: "") {
      _,
      _ throws(BusError) in
    }
  }

  /// Is emitted once, when a prompt has ended.
  static func completed(_ prompt: String) -> BusSignal<(isDismissed: Bool, object: String?)> {
    BusSignal(path: prompt, interface: interface, name: "Completed", signature: "bv") {
      reader,
      bytes throws(BusError) in
      let isDismissed = try reader.boolean(in: bytes)
      // Only the object that was made is of interest; a prompt that makes none may fill in any value.
      guard try reader.signature(in: bytes) == "o" else { return (isDismissed, nil) }
      let object = try reader.string(in: bytes)
      return (isDismissed, object == "/" ? nil : object)
    }
  }
}
