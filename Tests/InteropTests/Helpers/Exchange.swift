import Testing

/// One run of a helper.
struct Exchange: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// The name that the program calls, and what it writes behind it.
  var words: [String]
  var variables: [String: String] = [:]
  var input = ""
  /// `TOKEN` stands for the account's token.
  var output: String
  var status: Int32 = 0

  init(
    _ description: String,
    _ words: [String],
    variables: [String: String] = [:],
    input: String = "",
    _ output: String,
    status: Int32 = 0
  ) {
    testDescription = description
    self.words = words
    self.variables = variables
    self.input = input
    self.output = output
    self.status = status
  }
}
