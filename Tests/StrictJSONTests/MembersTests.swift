import StrictJSON
import Testing

/// Reading members alone must give the same as reading a tree.
@Suite("Members of an object")
struct MembersTests {
  private func read(_ text: String) throws(JSONError) -> JSONMembers { try JSONMembers(parsing: Array(text.utf8)) }

  private static let many = (0..<200).map { #""name\#($0)":\#($0)"# }.joined(separator: ",")

  @Test(
    "Members are the same as in a tree, in any order",
    arguments: [
      "{}", " { } ", #"{"":"","a":"x","b":-1.5e3,"c":null,"d":true,"e":[1,{"f":"g"}],"h":{}}"#,
      #" { "a" : "é€😀" , "é" : "\u00e9\n" , "b" : "\"" } "#, #"{"\u0061":1,"b":2,"c\n":"x"}"#, "{\(many)}",
      "{\(many),\"\\u0062\":\"x\",\"c\":\"y\"}", #"{"createdAt":1,"expiresAt":2,"createdBt":3,"createdAt2":4}"#,
    ]
  )
  func values(text: String) throws {
    let tree = try #require(try JSON(parsing: Array(text.utf8)).objectValue)
    let members = try read(text)
    for names in [tree.names, tree.names.reversed(), ["none", "name"] + tree.names + ["", "none"]] {
      var guess = 0
      for name in names { #expect(members.value(of: name, near: &guess) == tree[name]) }
    }
  }

  @Test(
    "Members of a malformed text are rejected as a tree is, in the same words",
    arguments: [
      "", "{", "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{"a":1}}"#, #"{"a":1} x"#,
      #"{"a":"x}"#, #"{"a":"\x"}"#, "{\"a\":\"\n\"}", "{\"\u{1}\":1}", #"{"a":01}"#, #"{"a":1,"a":2}"#,
      #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"\u0061":1,"\u0061":2}"#, "{\(many),\"name7\":0}",
      "{\(many),\"name199\":0}", #"{"a":{"b":1,"b":2}}"#, #"{"a":"\ud800"}"#, #"{"a":nul}"#,
      "{\"a\":" + String(repeating: "[", count: 64) + String(repeating: "]", count: 64) + "}",
    ]
  )
  func refusals(text: String) throws {
    var refusal: JSONError?
    do { _ = try JSON(parsing: Array(text.utf8)) } catch { refusal = error }
    #expect(throws: try #require(refusal)) { try read(text) }
  }

  @Test("Members are read from an object and from no other value")
  func kinds() {
    for text in ["[]", "1", #""a""#, "null", " true"] {
      let offset = text.utf8.count - text.drop { $0 == " " }.utf8.count
      #expect(throws: JSONError.unexpected(offset: offset)) { try read(text) }
    }
  }

  @Test("Members are read from a text in UTF-8 up to a maximum size")
  func bytes() throws {
    let stray = Array(#"{"a":""#.utf8) + [0xC3] + Array(#""}"#.utf8)
    #expect(throws: JSONError.notUTF8) { try JSONMembers(parsing: stray) }
    #expect(throws: JSONError.tooLarge) { try JSONMembers(parsing: Array("{ }".utf8), maximumBytes: 2) }
  }
}
