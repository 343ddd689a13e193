/// What ends a server of a test with this process, however that ends: one may serve a whole suite.
enum Guardian {
  /// A command line that runs a server beside what waits for the end of this process.
  ///
  /// That one's input ends then; it kills the server, unless that has ended, and removes its folder. Signals go to the
  /// group, and so to both.
  static func child(_ words: [String], in folder: TemporaryFolder, endingWith input: OpenInput) -> ChildProcess {
    ChildProcess("sh", ["-c", script, input.path, folder.path] + words)
  }

  private static let script = #"""
    input=$0 folder=$1
    shift
    {
      read -r _
      read -r _ _ _ parent _ </proc/self/stat
      if [ "$parent" = $$ ]; then
        kill -9 $$
        rm -rf -- "$folder"
      fi
    } <"$input" &
    exec "$@" </dev/null
    """#
}
