import Glibc

/// Starts a child with `files` as its descriptors 0, 1 and 2 (posix_spawn(3)).
///
/// Everything else that acct and its tests open is closed on exec.
///
/// - Returns: The child's id.
func spawn(_ child: ChildProcess, files: [CapturedFile]) throws(ProcessFailure) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  for (number, file) in files.enumerated() {
    unsafe posix_spawn_file_actions_adddup2(&actions, file.descriptor, Int32(number))
  }
  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  // Dispatch's threads block most signals, and a child would inherit that: SIGTERM would not stop it.
  var none = sigset_t()
  unsafe sigemptyset(&none)
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  var all = sigset_t()
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  // A session of its own, and so a group of its own: no child can ask at the terminal of the test run.
  // Swift does not import POSIX_SPAWN_SETSID, a macro beside an `#ifdef`.
  let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80
  unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

  // posix_spawn changes the folder with a GNU extension only, which Swift does not import.
  let moved = child.workingDirectory.map { ["env", "--chdir=\($0)"] } ?? []
  // By its whole path: some programs, such as Python, find their own files by how they were called.
  let program = moved.isEmpty ? path(of: child.program) : child.program
  let line = moved + [program] + child.arguments
  let variables = child.environment.map { "\($0.key)=\($0.value)" }
  var id: pid_t = 0
  let code = unsafe withCStrings(line) { words in
    unsafe withCStrings(variables) { variables in
      unsafe posix_spawnp(&id, line[0], &actions, &attributes, words, variables)
    }
  }
  guard code == 0 else { throw .system(call: "starting \(child.program)", code: code) }
  return id
}

/// Where a program lies: the first of its name on the test's own `PATH`, or the name itself.
private func path(of program: String) -> String {
  guard !program.contains("/"), let search = unsafe getenv("PATH") else { return program }
  return unsafe String(cString: search).split(separator: ":").map { "\($0)/\(program)" }
    .first { unsafe access($0, X_OK) == 0 } ?? program
}

/// Lends a null-terminated array of C strings, as exec(3) takes it, for the length of a call.
private func withCStrings(
  _ texts: [String],
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
  var pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
  let result = unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    unsafe buffer.baseAddress.map { unsafe body($0) }
  }
  for index in unsafe pointers.indices { unsafe free(pointers[index]) }
  return result ?? EINVAL
}
