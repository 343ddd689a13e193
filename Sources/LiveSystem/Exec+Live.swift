import AcctModel
package import AcctPorts
import CLinux
import Glibc
import PrivateFiles

extension Exec {
  /// execve(2), with everything as this process found it when it was started.
  ///
  /// What it has opened itself is closed by the kernel, since every descriptor of ours is marked so;
  /// those that the caller handed over stay open, as with env(1).
  ///
  /// - Parameter hardening: What the program must not inherit.
  /// - Returns: The way to become another program.
  package static func live(undoing hardening: Hardening) -> Exec {
    Exec { command, variable throws(ExecFailure) in
      var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
      defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
      var assignment = Array("\(variable.name)=".utf8CString.dropLast())
      variable.value.withBytes { bytes in
        for index in bytes.indices { assignment.append(CChar(bitPattern: bytes[index])) }
      }
      assignment.append(0)
      // A program that could not be run leaves no copy of the token behind.
      defer { unsafe explicit_bzero(&assignment, assignment.count) }
      let error = unsafe assignment.withUnsafeMutableBufferPointer { assignment in
        var variables = unsafe inherited(but: variable.name)
        unsafe variables.append(assignment.baseAddress)
        unsafe variables.append(nil)
        var blocked = hardening.blockedSignals
        return hardening.openedForExec { unsafe acct_exec(&arguments, &variables, &blocked) }
      }
      let program = command.first ?? ""
      guard error != ENOENT else { throw .notFound(program: program) }
      throw .notExecutable(program: program, reason: Obstacle.system(error).reason)
    }
  }
}

/// The environment without one variable, as pointers that live as long as the process.
private func inherited(but name: String) -> [UnsafeMutablePointer<CChar>?] {
  let prefix = "\(name)="
  var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
  guard var next = unsafe acct_environment() else { return unsafe variables }
  while let variable = unsafe next.pointee {
    if unsafe strncmp(variable, prefix, prefix.utf8.count) != 0 {
      unsafe variables.append(variable)
    }
    unsafe next += 1
  }
  return unsafe variables
}
