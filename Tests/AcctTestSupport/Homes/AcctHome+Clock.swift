extension AcctHome {
  /// A command whose clock is so many seconds ahead: what it finds valid now has ended there.
  ///
  /// For tokens without a meaning of their own alone: the end that a JWT states stays where it is.
  package func command(secondsAhead seconds: Int, _ arguments: [String]) -> ChildProcess {
    var command = command(arguments)
    command.environment["LD_PRELOAD"] = Product.executable("libFaults.so")
    command.environment["CLOCK_AHEAD"] = "\(seconds)"
    return command
  }
}
