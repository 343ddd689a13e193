import AcctModel
import Foundation
import Testing

@Suite("The skeleton of a machine's name")
struct NameSkeletonTests {
  @Test("A character and its prototype of UTS #39 have one skeleton, alone and in a name")
  func confusables() throws {
    let pairs = try vectorLines("confusables.txt").map { line in
      // An m is not folded to its prototype.
      let sides = line.replacing("0072 006E", with: "006D").split(separator: ";").map(characters)
      try #require(sides.count == 2)
      return (character: sides[0], prototype: sides[1])
    }
    #expect(pairs.count > 2000)
    // UTS #39 decomposes a name first, so that it never uses the entries of O with a horn.
    for (character, prototype) in pairs where !["\u{1A0}", "\u{1A1}"].contains(character) {
      #expect(NameSkeleton(character) == NameSkeleton(prototype), "\(character.unicodeScalars) and \(prototype)")
      #expect(NameSkeleton("b\(character)-7") == NameSkeleton("b\(prototype)-7"), "\(character.unicodeScalars)")
    }
  }

  @Test("A character has the skeleton of its canonical decomposition")
  func decompositions() {
    var count = 0
    for scalar in (UInt32(0xC0)...0x2FA1D).compactMap(Unicode.Scalar.init)
    where !(0xAC00...0xD7A3).contains(scalar.value) {
      let decomposed = String(scalar).decomposedStringWithCanonicalMapping
      guard !decomposed.unicodeScalars.elementsEqual([scalar]) else { continue }
      count += 1
      #expect(NameSkeleton("x\(scalar)") == NameSkeleton("x\(decomposed)"), "U+\(String(scalar.value, radix: 16))")
    }
    #expect(count > 2000)
  }

  @Test(
    "Names that a reader may take for each other have one skeleton",
    arguments: [
      ("build", "BUILD"), ("build", "bu\u{456}ld"), ("build", "ｂｕｉｌｄ"), ("build", "𝐛𝓾𝗶𝚕𝖽"), ("build", "bui1d"),
      ("build", "bu|ld"),
      ("build", " build\t"), ("build", "bu\u{200B}ild"), ("build", "\u{202E}build"), ("build", "bu\u{2800}ild"),
      ("build", "bu\u{3164}ild"), ("build", "bu\u{FE0F}ild"), ("build", "b\u{FC}ild"), ("build", "bu\u{308}\u{323}ild"),
      ("build", "\u{301}build"), ("build-1", "build\u{2010}l"), ("db0.example", "dbO\u{2024}example"),
      ("office", "o\u{FB03}ce"), ("main", "ma\u{131}n"), ("\u{436}", "\u{416}"), ("\u{439}", "\u{438}\u{306}"),
      ("vw", "ⅴw"), ("k", "\u{212A}"), ("host7", "host𝟩"), ("\u{432}", "\u{412}"),
    ]
  )
  func alike(name: String, other: String) {
    #expect(NameSkeleton(name) == NameSkeleton(other))
  }

  @Test(
    "Names that differ to a reader differ in their skeletons",
    arguments: [
      ("build", "built"), ("build-1", "build-2"), ("build1", "build-1"), ("build-1", "build-10"), ("modern", "modem"),
      ("vv", "w"), ("db_1", "db-1"), ("a.b", "ab"), ("\u{438}", "\u{439}"), ("世", "界"), ("5", "s"), ("8", "b"),
      (String(repeating: "n", count: 64), String(repeating: "n", count: 63)), ("", "a"),
    ]
  )
  func different(name: String, other: String) {
    #expect(NameSkeleton(name) != NameSkeleton(other))
  }

  @Test(
    "Names that show nothing have one skeleton",
    arguments: [" ", "\u{200B}", "\u{3000}\u{3000}", "\u{2800}", "\u{301}", "\n", "\u{E0020}", "\u{3164}"]
  )
  func blank(name: String) {
    #expect(NameSkeleton(name) == NameSkeleton(""))
  }

  /// The text of code points that are written in hexadecimal.
  private func characters(_ codes: Substring) -> String {
    let scalars = codes.split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) }
    return String(String.UnicodeScalarView(scalars))
  }
}
