import AcctTestSupport
import Testing

/// The check of a release's files, `packaging/verify-release`, on a small release that nothing was built for.
@Suite("The check of a release")
struct ReleaseTests {
  /// Makes the release 1.2.3 in the folder `dist`; then `$2` changes it, and `seal` sums and signs it anew.
  private static let script = #"""
    set -eu
    cd "$1"
    archive() { # a name, and a file in it with its text
      rm -rf "$1" && mkdir -p "$1/$(dirname "$2")" && printf '%s\n' "$3" >"$1/$2"
      case $2 in *.1) gzip -n "$1/$2" ;; esac
      tar -czf "dist/$1.tar.gz" "$1"
    }
    debian() { # a version in the name, and one inside
      mkdir -p package/DEBIAN
      printf 'Package: acct\nVersion: %s-1\nArchitecture: amd64\nMaintainer: a <a@a.invalid>\nDescription: a\n' "$2" \
        >package/DEBIAN/control
      dpkg-deb --root-owner-group --build package "dist/acct_$1-1_amd64.deb"
    }
    describe() { # the files to describe
      files='' components=''
      for file in "$@"; do
        sum=$(sha256sum <"dist/$file" | cut -d ' ' -f 1)
        files="$files,{\"fileName\":\"./$file\",\"checksums\":[{\"algorithm\":\"SHA256\",\"checksumValue\":\"$sum\"}]}"
        components="$components,{\"type\":\"file\",\"name\":\"$file\",\"hashes\":[{\"alg\":\"SHA-256\",\"content\":\"$sum\"}]}"
      done
      echo "{\"packages\":[{\"name\":\"acct\",\"versionInfo\":\"1.2.3\"}],\"files\":[${files#,}]}" >dist/acct-1.2.3.spdx.json
      echo "{\"metadata\":{\"component\":{\"version\":\"1.2.3\"}},\"components\":[${components#,}]}" >dist/acct-1.2.3.cdx.json
    }
    seal() { # the key
      rm -f dist/SHA256SUMS*
      (cd dist && sha256sum -- * >../sums)
      mv sums dist/SHA256SUMS
      ssh-keygen -q -Y sign -f "$1" -n file dist/SHA256SUMS
    }
    {
      mkdir dist
      for name in key other; do ssh-keygen -q -t ed25519 -N '' -C '' -f "$name"; done
      printf 'releases@acct.invalid namespaces="file" %s\n' "$(cat key.pub)" >signers
      archive acct-1.2.3 Sources/AcctConsole/Version.swift 'package let version = "1.2.3"'
      archive acct-1.2.3-linux-x86_64 share/man/man1/acct.1 '.Os acct 1.2.3'
      debian 1.2.3 1.2.3
      all='acct-1.2.3.tar.gz acct-1.2.3-linux-x86_64.tar.gz acct_1.2.3-1_amd64.deb'
      describe $all
      seal key
      eval "$2"
    } >log 2>&1 </dev/null || { cat log >&2; exit 99; }
    exec "$3" dist signers </dev/null
    """#

  private func verify(after change: String) async throws -> (status: Int32, output: String, errors: String) {
    let folder = try TemporaryFolder()
    let ran = try await ChildProcess(
      "sh",
      ["-c", Self.script, "sh", folder.path, change, Product.source("packaging/verify-release")],
      environment: ChildProcess.plainEnvironment
    ).run()
    return (ran.status, ran.text, ran.errorText)
  }

  @Test("A release whose files are all there and as they were signed is accepted, with the signer's name")
  func whole() async throws {
    let ended = try await verify(after: "")
    #expect(
      ended.output == "signed by releases@acct.invalid\ndist: acct 1.2.3, 5 files as SHA256SUMS has them\n",
      "\(ended.errors)"
    )
    #expect(ended.status == 0)
  }

  struct Tampering: Sendable, CustomTestStringConvertible {
    let change: String
    let complaint: String
    var testDescription: String { complaint }

    init(_ change: String, _ complaint: String) { (self.change, self.complaint) = (change, complaint) }
  }

  @Test(
    "A release that was tampered with is refused, with each flaw named",
    arguments: [
      Tampering("echo >>dist/acct-1.2.3.tar.gz", "acct-1.2.3.tar.gz is not the file that SHA256SUMS lists"),
      Tampering("rm dist/acct_1.2.3-1_amd64.deb", "acct_1.2.3-1_amd64.deb is missing"),
      Tampering("touch dist/more", "more is not listed in SHA256SUMS"),
      Tampering("rm dist/SHA256SUMS", "SHA256SUMS is missing"),
      Tampering("rm dist/SHA256SUMS.sig", "SHA256SUMS.sig is missing"),
      Tampering("seal other", "SHA256SUMS.sig is of no key that signers allows"),
      Tampering(
        "cp dist/SHA256SUMS.sig . && echo >>dist/acct-1.2.3.tar.gz && seal other && mv SHA256SUMS.sig dist",
        "SHA256SUMS.sig is not releases@acct.invalid's signature of SHA256SUMS"
      ),
      Tampering(
        "describe acct-1.2.3.tar.gz acct_1.2.3-1_amd64.deb && seal key",
        "acct-1.2.3.spdx.json does not describe acct-1.2.3-linux-x86_64.tar.gz"
      ),
      Tampering(
        "archive acct-1.2.3-linux-x86_64 share/man/man1/acct.1 '.Os acct 1.2.3 ' && seal key",
        "acct-1.2.3.cdx.json describes another acct-1.2.3-linux-x86_64.tar.gz"
      ),
      Tampering("debian 1.2.3 1.2.4 && describe $all && seal key", "acct_1.2.3-1_amd64.deb has 1.2.4 inside"),
      Tampering("debian 1.2.3 1.2.4 && describe $all && seal key", "the versions differ: acct-1.2.3"),
      Tampering("rm dist/acct-1.2.3.cdx.json && seal key", "no file of the release ends in .cdx.json"),
      Tampering(
        "echo a >dist/acct_1.2.3-1_amd64.deb && describe $all && seal key",
        "acct_1.2.3-1_amd64.deb can't be read"
      ),
    ]
  )
  func tampered(_ tampering: Tampering) async throws {
    let ended = try await verify(after: tampering.change)
    #expect(ended.status == 1)
    #expect(ended.errors.contains("verify-release: \(tampering.complaint)"), "\(ended.errors)")
  }
}
