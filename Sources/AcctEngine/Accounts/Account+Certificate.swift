package import AcctModel

extension Account {
  /// The account without the paths of its certificate's files, which are those of this machine.
  var withoutFiles: Account {
    guard client.certificate?.files != nil else { return self }
    var account = self
    account.client.certificate?.files = nil
    return account
  }

  /// `true` if it names files or programs of one machine, which another must not read, run or name to other programs.
  var namesFilesOrPrograms: Bool { client.hasInputs || client.certificate?.files != nil }

  /// The assessment of an account whose client's certificate has ended; `nil` where it has not.
  func certificateEnd(at now: Timestamp) -> Assessment? {
    guard let certificate = client.certificate, certificate.hasEnded(at: now) else { return nil }
    return Assessment(.reauthRequired, reason: StateReason.certificateEnded(certificate.endsAt).text, .stop)
  }

  /// A notice in the last days of its client's certificate.
  package func certificateWarning(at now: Timestamp) -> Notice? {
    guard let certificate = client.certificate, certificate.endsSoon(at: now), !certificate.hasEnded(at: now)
    else { return nil }
    return .certificateEnds(account: name, inSeconds: certificate.endsAt.seconds(since: now))
  }
}
