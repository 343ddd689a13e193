import Secrets
import AcctPorts
import Testing

@Suite("The secrets that are held for redaction")
struct HeldSecretsTests {
  @Test("Both of two that begin or end alike are held")
  func alike() {
    let held = HeldSecrets()
    held.hold([Secret("made-up-one-token"), Secret("made-up-two-token")])
    for word in ["up-one-t", "up-two-t"] {
      #expect(held.redactor.finds(in: "the server said \(word)"))
    }
  }

  @Test("One that is held again and again does not push out another")
  func again() {
    let held = HeldSecrets()
    held.hold(Secret("first-made-up"))
    for _ in 0..<1000 { held.hold(Secret("second-made-up")) }
    #expect(held.redactor.finds(in: "first-made-up"))
  }

  @Test("Of very many the first are forgotten, and the last ones held")
  func many() {
    let held = HeldSecrets()
    for number in 1000..<2000 { held.hold(Secret("number:\(number)")) }
    #expect(!held.redactor.findsWhole(in: "number:1000"))
    #expect(held.redactor.findsWhole(in: "number:1999"))
  }
}
