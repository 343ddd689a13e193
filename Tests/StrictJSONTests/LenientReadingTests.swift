import StrictJSON
import Testing

private func read(_ text: String) throws(JSONError) -> JSON { try JSON(leniently: Array(text.utf8).span) }

@Suite("The lenient reading of JSON")
struct LenientReadingTests {
  @Test(
    "The lenient reading takes JSON as the strict one does",
    arguments: [
      #" {"a": [1, -2.5e3, "x", true, false, null, {}], "b": {"c": []}, "": ""} "#, "null", "7", #""\ud83d\ude00\n""#,
      "[]",
      #"{"a":{"b":[[],[{}]]}}"#,
    ]
  )
  func alike(text: String) throws {
    #expect(try read(text) == JSON(parsing: Array(text.utf8)))
  }

  @Test("The lenient reading takes what is broken as far as it can be understood")
  func broken() throws {
    for (text, expected) in [
      ("\u{FEFF}\n\u{FEFF} {\"a\":1}", ["a": 1]), (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]),
      (#"{"a":NaN,"b":-Infinity,"c":1}"#, ["a": .null, "b": .null, "c": 1]),
      (#"{"a":007,"b":+1,"c":.5,"d":1.,"e":True}"#, ["a": .null, "b": .null, "c": .null, "d": .null, "e": .null]),
      ("{\"a\":\"b\tc\u{1}\n\"}", ["a": "b\tc\u{1}\n"]),
      (#"{"a":"\q\ud800x\u12"}"#, ["a": "\u{FFFD}q\u{FFFD}ud800x\u{FFFD}u12"]),
      (#"{"a":[1,2,],}"#, ["a": [1, 2]]), (#"{"a":,"b":1}"#, ["a": .null, "b": 1]), (#"{"a":1}<!-- x -->"#, ["a": 1]),
      (#"{"a":1}{"a":2}"#, ["a": 1]),
    ] as [(String, JSON)] {
      #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }
      #expect(try read(text) == expected, "\(text)")
    }
    let stray: [UInt8] = Array(#"{"a":""#.utf8) + [0xFF, 0xC3] + Array(#"","b":"c"}"#.utf8)
    #expect(try JSON(leniently: stray.span).objectValue?["b"] == "c")
  }

  @Test(
    "The lenient reading rejects what has no end and no structure",
    arguments: ["", #"{"a":"b"#, #"{"a":1"#, #"{"a" 1}"#, "{a:1}", #"{"a":1 "b":2}"#, #"{"a":"\"#]
  )
  func rejected(text: String) {
    #expect(throws: JSONError.self) { try read(text) }
  }

  @Test("The lenient reading has the same limits of size and depth")
  func limits() throws {
    let deep = { (count: Int) in
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    #expect(throws: Never.self) { try read(deep(JSON.maximumDepth)) }
    #expect(throws: JSONError.tooDeep) { try read(deep(JSON.maximumDepth + 1)) }
    #expect(throws: JSONError.tooDeep) { try read(#"{"a":1,"a":\#(deep(100)),}"#) }
    #expect(throws: JSONError.tooLarge) { try read("\"" + String(repeating: "x", count: 1 << 20) + "\"") }
  }
}
