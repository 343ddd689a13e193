import StrictJSON
import Testing

@Suite("Long lists")
struct LongListTests {
  @Test("A list that is written in parts equals the list written whole", arguments: [0, 1, 2, 5_000])
  func parts(count: Int) throws {
    let elements = (0..<count).map { JSON.object(["name": .string("element \($0)"), "é": "\u{1}"]) }
    var text: [UInt8] = []
    var parts = 0
    JSON.serialize(["version": 1, "active": nil], "elements", of: elements.map { $0.serialized() }) { part in
      text += part
      parts += 1
    }
    let whole: JSON = ["version": 1, "active": nil, "elements": .array(elements)]
    #expect(text == whole.serialized())
    #expect((parts > 1) == (count == 5_000))
  }

  @Test("A list's members are found in any order")
  func order() throws {
    let names = (0..<40).map { "name\($0)" }
    var object = JSONObject()
    for (index, name) in names.enumerated() { object[name] = .init(Int64(index)) }
    let members = try JSONMembers(parsing: JSON.object(object).serialized())
    for order in [names, names.reversed(), names.filter { $0.hasSuffix("7") } + names] {
      var guess = 0
      for name in order { #expect(members.value(of: name, near: &guess) == object[name]) }
    }
    var guess = 0
    #expect(members.value(of: "none", near: &guess) == nil)
    #expect(members.value(of: "name0", near: &guess) == 0)
  }
}
