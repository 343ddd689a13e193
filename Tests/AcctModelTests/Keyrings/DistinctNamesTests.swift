import AcctModel
import Testing

@Suite("Distinct names")
struct DistinctNamesTests {
  @Test("A name that looks like no other stays as it is")
  func unique() {
    let names = [("a1", "build"), ("b2", "laptop"), ("c3", "build-1"), ("d4", "世界"), ("e5", "")]
    #expect(distinctNames(names) == ["a1": "build", "b2": "laptop", "c3": "build-1", "d4": "世界", "e5": ""])
    #expect(distinctNames([]).isEmpty)
  }

  @Test("Names that look alike get numbers in the order of the identifiers, however the list is ordered")
  func numbers() {
    let names = [("c3", "build"), ("a1", "bu\u{456}ld"), ("d4", "laptop"), ("b2", "BUILD ")]
    let expected = ["a1": "bu\u{456}ld-1", "b2": "BUILD -2", "c3": "build-3", "d4": "laptop"]
    #expect(distinctNames(names) == expected)
    #expect(distinctNames(names.reversed()) == expected)
  }

  @Test(
    "A number is left out if the name with it would look like another",
    arguments: ["build-1", "build-l", "BUILD-\u{406}", "bu\u{456}ld\u{2010}1"]
  )
  func takenNumber(taken: String) {
    #expect(
      distinctNames([("a", "build"), ("b", "build"), ("c", taken)]) == ["a": "build-2", "b": "build-3", "c": taken]
    )
  }

  @Test("Names that end with digits, or in numbers themselves, get a number behind these")
  func digits() {
    #expect(distinctNames([("a", "web7"), ("b", "web7")]) == ["a": "web7-1", "b": "web7-2"])
    #expect(
      distinctNames([("a", "web"), ("b", "web"), ("c", "web-1"), ("d", "web-l"), ("e", "web-1-1")])
        == ["a": "web-2", "b": "web-3", "c": "web-1-2", "d": "web-l-3", "e": "web-1-1"]
    )
  }

  @Test("No two results look alike, among many names that do")
  func manyAlike() {
    let forms = [
      "n", "N", "n-1", "n-l", "n-2", "n-1-1", "n-10", "n-lO", "\u{578}", "n-\u{406}\u{41E}", "", " ", "-1", "-l", "-",
    ]
    let alike = (0..<300).map { (id: String($0, radix: 16), name: forms[$0 % forms.count]) }
    let names = alike + [("f00", "n-3"), ("f01", "-4"), ("f02", "n-1-5")]
    let distinct = distinctNames(names)
    #expect(distinct.count == names.count)
    #expect(Set(distinct.values.map(NameSkeleton.init)).count == names.count)
    #expect(distinctNames(names.shuffled()) == distinct)
  }

  @Test("Names that show nothing get numbers, too")
  func blank() {
    #expect(distinctNames([("a", " "), ("b", "\u{200B}"), ("c", "-1")]) == ["a": " -2", "b": "\u{200B}-3", "c": "-1"])
  }

  @Test("A reserved name is no holder's, not even a single one's")
  func reserved() {
    let names = [("a", "Passphrase\u{2011}1"), ("b", "passphrase-1-l"), ("c", "passphrase-2")]
    #expect(
      distinctNames(names, besides: ["passphrase-1"])
        == ["a": "Passphrase\u{2011}1-2", "b": "passphrase-1-l", "c": "passphrase-2"]
    )
    #expect(
      distinctNames([("a", "passphrase"), ("b", "passphrase")], besides: ["passphrase-1"])["a"] == "passphrase-2"
    )
  }

  @Test("An identifier that is there twice counts once, with its first name")
  func twice() {
    #expect(distinctNames([("a", "build"), ("a", "laptop"), ("b", "laptop")]) == ["a": "build", "b": "laptop"])
  }

  @Test("Names of 64 characters get their numbers, too")
  func longest() {
    let name = String(repeating: "n", count: 64)
    #expect(distinctNames([("a", name), ("b", name)]) == ["a": "\(name)-1", "b": "\(name)-2"])
  }
}
