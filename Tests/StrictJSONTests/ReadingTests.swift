import StrictJSON
import Testing

private func parse(_ text: String) throws(JSONError) -> JSON { try JSON(parsing: Array(text.utf8)) }

@Suite("Reading JSON")
struct ReadingTests {
  @Test("Every kind of JSON value is read")
  func values() throws {
    let json = try parse(
      #" {"a": [1, -2.5e3, "x", true, false, null, {}], "b": {"c": []}, "": ""} "#
    )
    #expect(
      json == [
        "a": [1, .number(try #require(JSONNumber("-2.5e3"))), "x", true, false, nil, [:]],
        "b": ["c": []], "": "",
      ]
    )
    #expect(json.objectValue?.names == ["a", "b", ""])
    #expect(json.objectValue?["z"] == nil)
    #expect(try parse("null") == .null)
    #expect(try parse("\t\r\n \"x\"\n") == "x")
  }

  @Test(
    "An escape in JSON stands for the character that it names",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u20ac""#, "Aéé€"),
      (#""\ud83d\ude00""#, "😀"), (#""a\uD83D\uDE00b""#, "a😀b"), (#""\u0000""#, "\u{0}"), ("\"é€😀\u{7F}\"", "é€😀\u{7F}"),
      (#""\udbff\udffd""#, "\u{10FFFD}"),
    ]
  )
  func escapes(text: String, expected: String) throws {
    #expect(try Array(parse(text).stringValue?.utf8 ?? "".utf8) == Array(expected.utf8))
  }

  @Test(
    "A text that is not JSON is rejected at its offset",
    arguments: [
      ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\" 1}", 5), ("{\"a\":}", 5),
      ("{1:1}", 1), ("'a'", 0), ("nul1", 3), ("True", 0), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("+1", 0),
      (".5", 0), ("01", 1), ("-01", 2), ("1.", 2), ("[1.]", 3), ("[1.e1]", 3), ("[1e]", 3), ("[1e+]", 4), ("0x1", 1),
      ("1_0", 1), ("[-]", 2), ("1 2", 2), ("{} {}", 3), ("[]]", 2), ("//a\n1", 0), ("[1]/*a*/", 3), ("\u{FEFF}1", 0),
      ("\u{A0}1", 0), ("\u{C}1", 0), ("\"a\u{0}\"", 2), ("\"a\nb\"", 2), ("\"\u{1F}\"", 1), (#""\x41""#, 2),
      (#""\u00g0""#, 5), (#""\U0041""#, 2), ("}", 0), ("]", 0), (":", 0), ("[1}", 2), ("{\"a\":1]", 6),
    ]
  )
  func unexpected(text: String, offset: Int) {
    let isEnd = offset == text.utf8.count
    #expect(throws: isEnd ? JSONError.truncated : .unexpected(offset: offset)) { try parse(text) }
  }

  @Test(
    "Half of a surrogate pair in JSON is rejected",
    arguments: [
      #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#,
      #""\ud83d\ud83d""#, #""\ude00\ud83d""#, #"{"\ud800": 1}"#,
    ]
  )
  func loneSurrogates(text: String) {
    let offset = text.hasPrefix("{") ? 2 : 1
    #expect(throws: JSONError.unexpected(offset: offset)) { try parse(text) }
  }

  @Test("Every beginning of a JSON text is reported as truncated, and none is accepted")
  func truncated() throws {
    let text = Array(#"{"a":[true,false,null,-1.5e+3,"x\u00e9\ud83d\ude00\n"],"b":{}}"#.utf8)
    _ = try JSON(parsing: text)
    for count in 0..<text.count {
      #expect(throws: JSONError.truncated) { try JSON(parsing: Array(text[..<count])) }
    }
  }

  @Test(
    "A JSON text that is not UTF-8 is rejected",
    arguments: [
      [0x80], [0xC3], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88], [0xFF], [0xFE, 0xFF], [0xE2, 0x82],
    ] as [[UInt8]]
  )
  func notUTF8(bytes: [UInt8]) {
    let quote = UInt8(ascii: "\"")
    #expect(throws: JSONError.notUTF8) { try JSON(parsing: [quote] + bytes + [quote]) }
    #expect(throws: JSONError.notUTF8) { try JSON(parsing: Array("1 ".utf8) + bytes) }
  }

  @Test(
    "A repeated JSON member is rejected, however it is spelled",
    arguments: [
      #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":1,"a":2}}]"#,
      #"{"a":1,"c1":0,"c2":0,"c3":0,"c4":0,"c5":0,"c6":0,"c7":0,"c8":0,"c9":0,"a":2}"#,
      #"{"c1":0,"c2":0,"c3":0,"c4":0,"c5":0,"c6":0,"c7":0,"c8":0,"c9":0,"a":2,"\u0061":0}"#,
    ]
  )
  func duplicates(text: String) {
    #expect(throws: JSONError.duplicateMember("a")) { try parse(text) }
  }

  @Test("Member names are compared by their bytes, not by their appearance")
  func exactNames() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    for padding in ["", (0..<9).map { "\"c\($0)\":0," }.joined()] {
      let object = try parse("{\(padding)\"\(composed)\":1,\"\(decomposed)\":2}").objectValue
      #expect(object?[composed] == 1)
      #expect(object?[decomposed] == 2)
    }
  }

  @Test("64 levels of JSON are read, and 65 are rejected, however many follow")
  func depth() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try parse(nested(64))
    #expect(throws: JSONError.tooDeep) { try parse(nested(65)) }
    #expect(throws: JSONError.tooDeep) { try parse(nested(10_000)) }
    let objects = String(repeating: "{\"a\":", count: 200_000)
    #expect(throws: JSONError.tooDeep) { try JSON(parsing: Array(objects.utf8), maximumBytes: .max) }
  }

  @Test("A JSON text larger than the maximum is not read")
  func tooLarge() throws {
    #expect(throws: JSONError.tooLarge) { try JSON(parsing: [0xFF, 0xFF], maximumBytes: 1) }
    #expect(try JSON(parsing: Array("12".utf8), maximumBytes: 2) == 12)
    let spaces = [UInt8](repeating: 0x20, count: 1 << 20)
    #expect(throws: JSONError.tooLarge) { try JSON(parsing: spaces + [0x31]) }
  }

  @Test("A hundred thousand JSON members are found as reliably as one")
  func manyMembers() throws {
    let count = 100_000
    let text = "{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
    let object = try #require(try JSON(parsing: Array(text.utf8), maximumBytes: .max).objectValue)
    #expect(object.count == count)
    for index in stride(from: 0, to: count, by: 7) {
      #expect(object["m\(index)"]?.numberValue?.integer == Int64(index))
    }
  }
}
