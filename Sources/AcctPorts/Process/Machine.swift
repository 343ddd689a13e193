/// The system that acct runs on, as the system describes itself; nothing of it is fit to be shown as it is.
package struct Machine: Sendable {
  /// The kernel's release (uname(2)).
  package var kernel: String
  /// The kind of processor (uname(2)).
  package var architecture: String
  /// The contents of os-release(5).
  package var distribution: String
  /// The version of the C library.
  package var libc: String
  /// The libraries that acct loads, such as `libcurl.so.4`, with the names of their files, such as `libcurl.so.4.8.0`.
  package var libraries: [(name: String, file: String?)]

  package init(
    kernel: String = "",
    architecture: String = "",
    distribution: String = "",
    libc: String = "",
    libraries: [(name: String, file: String?)] = []
  ) {
    self.kernel = kernel
    self.architecture = architecture
    self.distribution = distribution
    self.libc = libc
    self.libraries = libraries
  }
}
