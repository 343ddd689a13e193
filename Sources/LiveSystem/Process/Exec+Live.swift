import Secrets
package import AcctPorts
import CLinux
import Glibc
import PrivateFiles

extension Exec {
  /// execve(2), with everything as this process found it when it was started.
  ///
  /// - Parameters:
  ///   - hardening: The settings that the program must not inherit.
  ///   - memory: Where its files lie.
  /// - Returns: The way to become another program.
  package static func live(undoing hardening: Hardening, _ memory: MemoryFolders) -> Exec {
    Exec {
      let handedOver = openDescriptors()
      let find = { @Sendable (program: String) throws(ExecFailure) in
        try check(unsafe acct_find_program(program), of: program)
      }
      let attended = AttendedExec(makeFolder: { () throws(MemoryFolderFailure) in try memory.make() }) {
        command,
        variables throws(ExecFailure) in
        closeLater(openDescriptors().subtracting(handedOver))
        let child = startAttended(command, variables, hardening)
        guard child > 0 else {
          try check(errno, of: command.first ?? "")
          return { 1 }
        }
        return { await attendedEnd(of: child) }
      }
      return PreparedExec(find: find, attended: attended) { command, variables throws(ExecFailure) in
        closeLater(openDescriptors().subtracting(handedOver))
        try check(become(command, variables, hardening), of: command.first ?? "")
      }
    }
  }
}

/// Marks descriptors that a program must not get.
///
/// Not every library marks its own; those that the caller has opened stay open, as with env(1).
private func closeLater(_ descriptors: Set<Int32>) {
  for descriptor in descriptors where descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}

/// Translates the error number of a program that can't be run; 0 is none.
private func check(_ error: Int32, of program: String) throws(ExecFailure) {
  guard error != 0 else { return }
  guard error != ENOENT else { throw .notFound(program: program) }
  throw .notExecutable(program: program, reason: FileError.system(error).reason)
}

/// Returns why the program could not be run.
private func become(
  _ command: [String],
  _ variables: [(name: String, value: Secret)],
  _ hardening: Hardening
) -> Int32 {
  var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
  // All in one, of its full size from the beginning: a buffer that grows leaves copies behind.
  var assignments: [CChar] = []
  assignments.reserveCapacity(variables.reduce(0) { $0 + $1.name.utf8.count + $1.value.count + 2 })
  var starts: [Int] = []
  for (name, value) in variables {
    starts.append(assignments.count)
    assignments += "\(name)=".utf8CString.dropLast()
    value.withBytes { bytes in
      for index in bytes.indices { assignments.append(CChar(bitPattern: bytes[index])) }
    }
    assignments.append(0)
  }
  // A program that could not be run leaves no copy of a token behind.
  defer { unsafe explicit_bzero(&assignments, assignments.count) }
  return unsafe assignments.withUnsafeMutableBufferPointer { assignments in
    var environment = unsafe inherited(but: variables.map(\.name))
    for start in starts { unsafe environment.append(assignments.baseAddress.map { unsafe $0 + start }) }
    unsafe environment.append(nil)
    var blocked = hardening.blockedSignals
    return hardening.openedForExec { unsafe acct_exec(&arguments, &environment, &blocked) }
  }
}

/// The descriptors that are open now.
private func openDescriptors() -> Set<Int32> {
  if let folder = unsafe opendir("/proc/self/fd") {
    defer { unsafe closedir(folder) }
    var open: Set<Int32> = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if let descriptor = Int32(name), unsafe descriptor != dirfd(folder) { open.insert(descriptor) }
    }
    return open
  }
  // Without /proc, as in some containers: the usual limit.
  return Set((0..<1024).filter { fcntl($0, F_GETFD) >= 0 })
}

/// The environment without these variables, as pointers that live as long as the process.
func inherited(but names: [String]) -> [UnsafeMutablePointer<CChar>?] {
  let prefixes = names.map { "\($0)=" }
  var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
  guard var next = unsafe acct_environment() else { return unsafe variables }
  while let variable = unsafe next.pointee {
    let isKept = prefixes.allSatisfy { unsafe strncmp(variable, $0, $0.utf8.count) != 0 }
    if isKept { unsafe variables.append(variable) }
    unsafe next += 1
  }
  return unsafe variables
}
