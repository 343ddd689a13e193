import StrictJSON
import Testing

@Suite("JSON numbers")
struct NumberTests {
  @Test(
    "An integer is exact or missing",
    arguments: [
      ("0", 0), ("-0", 0), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min),
      ("9223372036854775808", nil), ("1.0", 1), ("-1.50e1", -15), ("1e3", 1_000), ("1E+2", 100), ("100e-2", 1),
      ("101e-2", nil), ("1.5", nil), ("1.0000000000000000000000001", nil),
      ("9007199254740993.0", 9_007_199_254_740_993), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("1e400", nil),
      ("1e-400", nil), ("0e5", 0), ("0.000", 0), ("-0.0e-9", 0), ("1e99999999999999999999", nil), ("0.1e1", 1),
    ] as [(String, Int64?)]
  )
  func integers(text: String, expected: Int64?) throws {
    #expect(try #require(JSONNumber(text)).integer == expected)
  }

  @Test("A double is finite or missing")
  func doubles() throws {
    #expect(JSONNumber("1e400")?.double == nil)
    #expect(JSONNumber("-1e400")?.double == nil)
    #expect(JSONNumber("1.5e3")?.double == 1_500)
    #expect(JSONNumber("1e-400")?.double == 0)
    #expect(JSONNumber("1769850307")?.double == 1_769_850_307)
  }

  @Test(
    "A text that is not a number makes none",
    arguments: ["", " 1", "1 ", "+1", "01", "1.", ".1", "0x1", "inf", "nan", "1e", "-", "1e400x", "soon", "١"]
  )
  func refused(text: String) {
    #expect(JSONNumber(text) == nil)
  }
}

@Suite("JSON values")
struct ValueTests {
  @Test("An accessor returns a value of its own kind and of no other")
  func accessors() {
    let values: [JSON] = [nil, true, 1, "x", [1], ["a": 1]]
    #expect(values.map { $0.boolValue } == [nil, true, nil, nil, nil, nil])
    #expect(values.map { $0.numberValue?.integer } == [nil, nil, 1, nil, nil, nil])
    #expect(values.map { $0.stringValue } == [nil, nil, nil, "x", nil, nil])
    #expect(values.map { $0.arrayValue } == [nil, nil, nil, nil, [1], nil])
    #expect(values.map { $0.objectValue } == [nil, nil, nil, nil, nil, ["a": 1]])
  }

  @Test("A null member exists, and a missing one does not")
  func null() {
    let object: JSONObject = ["a": nil]
    #expect(object["a"] == .some(.null))
    #expect(object["b"] == nil)
  }

  @Test("Members keep their order when some are changed or removed", arguments: [3, 20])
  func order(count: Int) {
    var object = JSONObject()
    for index in 0..<count { object["m\(index)"] = .number(JSONNumber(Int64(index))) }
    object["m1"] = "changed"
    object["m0"] = nil
    object["none"] = nil
    object["last"] = true
    #expect(object.names == (1..<count).map { "m\($0)" } + ["last"])
    #expect(object["m1"] == "changed")
    #expect(object["m0"] == nil)
    #expect(object["m\(count - 1)"]?.numberValue?.integer == Int64(count - 1))
    #expect(object["last"] == true)
  }

  @Test("Objects are equal whatever the order of their members")
  func equality() {
    #expect(["a": 1, "b": 2] as JSON == ["b": 2, "a": 1])
    #expect(["a": 1] as JSON != ["a": 1, "b": 2])
    #expect(["a": 1] as JSON != ["a": 2])
    #expect([1, 2] as JSON != [2, 1])
  }

  @Test(
    "Written JSON is compact, in order, and escaped only where necessary",
    arguments: [
      ("{ \"b\" : [ 1 , 2.50 ] , \"a\" : { } }", #"{"b":[1,2.50],"a":{}}"#),
      (
        #""\/\u00e9\u0022\\\u0000\u001f\b\f\n\r\t\u007f""#,
        "\"/é\\\"\\\\\\u0000\\u001f\\b\\f\\n\\r\\t\\u007f\""
      ),
      ("[null,true,false,-0,1E5,\"\"]", #"[null,true,false,-0,1E5,""]"#),
      (#"{"\"\n":"😀"}"#, #"{"\"\n":"😀"}"#),
      // What could reorder text, end a line or begin an escape sequence of a terminal.
      ("[\"\u{202E}\u{2028}\u{9B}\u{E0001}\"]", #"["\u202e\u2028\u009b\udb40\udc01"]"#),
    ]
  )
  func writing(text: String, expected: String) throws {
    let json = try JSON(parsing: Array(text.utf8))
    let written = json.serialized()
    #expect(String(decoding: written, as: UTF8.self) == expected)
    #expect(try JSON(parsing: written) == json)
  }
}
