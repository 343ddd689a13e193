/// The transfers whose responses have grown, and whose readers have not been told.
///
/// For whom ``TransferWork`` is lent to, as the callbacks are that note them.
final class GrowingTransfers {
  private var transfers: [Transfer] = []

  var isEmpty: Bool { transfers.isEmpty }

  func note(_ transfer: Transfer) {
    if !transfers.contains(where: { $0 === transfer }) { transfers.append(transfer) }
  }

  /// Hands what has come to readers that wait.
  ///
  /// - Parameter evenIfGrowing: Whether to do so where more may come at once, too; if not, readers get it in
  ///   larger parts.
  func flush(evenIfGrowing: Bool) { transfers.removeAll { $0.flush(evenIfGrowing: evenIfGrowing) } }

  func remove(_ transfer: Transfer) { transfers.removeAll { $0 === transfer } }
}
