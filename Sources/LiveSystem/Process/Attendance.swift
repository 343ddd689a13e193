import AcctPorts
import CLinux
import Glibc
import PrivateFiles

// The calls that share the state of attend.h, which exists once for each source file: none may be inlined into another
// one's, where it would have a state of its own.

/// Lets the signals that end this process delete a folder first.
@inline(never)
func deleteOnSignals(_ folder: MemoryFolder) {
  let (place, own) = folder.descriptors
  unsafe acct_keep_folder(place, own, folder.name)
}

/// Deletes a folder of ``deleteOnSignals(_:)``.
@inline(never)
func delete(_ folder: MemoryFolder) {
  if acct_forget_folder() != 0 {
    folder.remove()
  } else {
    // A signal handler does it now, and the process ends with it: until then the descriptors stay open.
    _ = unsafe Unmanaged.passRetained(folder)
  }
}

/// Starts a program beside this process, which passes its signals on from here on.
///
/// - Returns: The program's id; -1 with errno if it could not be run.
func startAttended(
  _ command: [String],
  _ variables: [(name: String, value: String)],
  _ hardening: Hardening
) -> pid_t {
  var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
  var assignments = unsafe variables.map { unsafe strdup("\($0.name)=\($0.value)") }
  unsafe assignments.append(nil)
  defer {
    for index in unsafe arguments.indices { unsafe free(arguments[index]) }
    for index in unsafe assignments.indices { unsafe free(assignments[index]) }
  }
  var environment = unsafe inherited(but: variables.map(\.name)) + assignments
  var blocked = hardening.blockedSignals
  return hardening.openedForExec { unsafe attend(&arguments, &environment, &blocked) }
}

@inline(never)
private func attend(
  _ arguments: inout [UnsafeMutablePointer<CChar>?],
  _ environment: inout [UnsafeMutablePointer<CChar>?],
  _ blocked: inout sigset_t
) -> pid_t {
  unsafe acct_attend(&arguments, &environment, &blocked)
}

/// The exit status of a program, once it has ended.
func attendedEnd(of child: pid_t) async -> Int32 {
  let wait = { @Sendable () throws(ExecFailure) in waitForEnd(of: child) }
  do throws(ExecFailure) {
    return try await onDedicatedThread(orThrow: .notFound(program: ""), wait)
  } catch {
    return waitForEnd(of: child)
  }
}

@inline(never)
private func waitForEnd(of child: pid_t) -> Int32 { acct_exit_status(acct_attended_end(child)) }
