import AcctPrograms
import AcctTestSupport

extension RecordedForeignFiles {
  /// The file where a program looks for its credentials first.
  subscript(program: OtherProgram) -> String? {
    get { self[Self.path(of: .credentials(program))] }
    set { self[Self.path(of: .credentials(program))] = newValue }
  }

  /// The place where a program looks for a file first.
  static func path(of file: ForeignFile) -> String { file.places(in: home) { _ in nil }[0] }
}
