/// A state in two words: equal for two states that differ by the names of their hosts only.
struct ModelKey: Hashable {
  var low: UInt64
  var high: UInt64
}

extension ModelState {
  var key: ModelKey {
    let (left, right) = (first.packed(mirrored: false), second.packed(mirrored: false))
    let (farLeft, farRight) = (first.packed(mirrored: true), second.packed(mirrored: true))
    let plain = ModelKey(low: left | shared(lock) << 48, high: right | change(mirrored: false) << 40)
    let mirror = ModelKey(
      low: farRight | shared(lock.mirrored) << 48,
      high: farLeft | change(mirrored: true) << 40
    )
    return (plain.low, plain.high) < (mirror.low, mirror.high) ? plain : mirror
  }

  private func change(mirrored: Bool) -> UInt64 {
    var word: UInt64 = isToReseal ? 1 : 0
    word = word << 1 | (isFormer ? 1 : 0)
    guard let resealing else { return word << 7 }
    word = word << 1 | 1
    word = word << 1 | (resealing.isCurrent ? 1 : 0)
    word = word << 2 | UInt64(resealing.credential)
    return word << 3 | UInt64((mirrored ? resealing.lock.mirrored : resealing.lock).rawValue)
  }

  private func shared(_ lock: Holder) -> UInt64 {
    var word = UInt64(credential)
    word = word << 3 | UInt64(lock.rawValue)
    word = word << 2 | UInt64(issued)
    word = word << 3 | UInt64(orphan.rawValue)
    word = word << 2 | UInt64(ended.rawValue)
    return word << 2 | UInt64(faults)
  }
}

extension ModelHost {
  /// 38 bits.
  func packed(mirrored: Bool) -> UInt64 {
    func bits(_ holder: Holder) -> UInt64 { UInt64((mirrored ? holder.mirrored : holder).rawValue) }
    var word = UInt64(phase.rawValue)
    word = word << 1 | (isCurrent ? 1 : 0)
    word = word << 2 | UInt64(spent)
    word = word << 2 | UInt64(brought)
    word = word << 3 | UInt64(age)
    word = word << 1 | UInt64(requestAge)
    word = word << 3 | bits(keeps)
    word = word << 1 | (hasFailed ? 1 : 0)
    word = word << 1 | (wasOpen ? 1 : 0)
    word = word << 1 | (isLate ? 1 : 0)
    word = word << 3 | UInt64(excuse.rawValue)
    word = word << 1 | (isConnected ? 1 : 0)
    word = word << 3 | UInt64(sighting.map { $0 + 1 } ?? 0)
    word = word << 3 | bits(pending)
    word = word << 2 | UInt64(seen)
    guard let lurking else { return word << 8 }
    word = word << 1 | 1
    word = word << 1 | (lurking.isCurrent ? 1 : 0)
    word = word << 1 | (lurking.isClaim ? 1 : 0)
    word = word << 2 | UInt64(lurking.credential)
    return word << 3 | bits(lurking.lock)
  }
}
