import Glibc
import NIOCore
import NIOPosix

extension MultiThreadedEventLoopGroup {
  /// Ends the thread.
  func end() async {
    // It fails only where it has ended already.
    try? await shutdownGracefully()
  }
}

func reason(_ error: any Error) -> String {
  guard let error = error as? IOError else { return "the system can't" }
  let words = unsafe String(cString: strerror(error.errnoCode))
  return words.prefix(1).lowercased() + words.dropFirst()
}
