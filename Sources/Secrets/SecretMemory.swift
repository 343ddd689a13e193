import Glibc
import Synchronization

/// The memory of secrets: the heap, until a process has a region of its own for them.
///
/// A process that ends soon wipes its secrets and needs no more. One that runs for days provides a region that no
/// other process can read; secrets that do not fit into it are on the heap, as without it.
package enum SecretMemory {
  private static let region = Mutex<SecretRegion?>(nil)

  /// Places secrets that are made from now on in a region, which must last as long as the process.
  ///
  /// - Parameter memory: Zeroed, at an address that is a multiple of 64.
  package static func use(_ memory: UnsafeMutableRawBufferPointer) {
    let region = unsafe SecretRegion(memory)
    Self.region.withLock { $0 = region }
  }

  /// Allocates `count` bytes, at a multiple of 16; to be returned by ``release(_:)``.
  package static func take(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let taken = Self.region.withLock { unsafe $0?.take(count).map { UInt(bitPattern: $0) } }
    if let taken, let start = unsafe UnsafeMutableRawPointer(bitPattern: taken) {
      return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }
    return .allocate(byteCount: count, alignment: 16)
  }

  /// Wipes memory, and returns it to the region or the heap that it came from.
  package static func release(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    // The optimizer would drop an assignment to memory that nothing reads any more as a dead store.
    unsafe explicit_bzero(start, memory.count)
    let address = UInt(bitPattern: start)
    let count = memory.count
    let wasInRegion = Self.region.withLock { $0?.give(back: address, count) ?? false }
    if !wasInRegion { unsafe memory.deallocate() }
  }
}

/// A region that is allocated in units, lowest first.
///
/// So the lowest pages are reused, and the rest is never touched. Its blocks have no headers: the caller knows a
/// block's length.
@safe private struct SecretRegion: @unchecked Sendable {
  private let start: UnsafeMutableRawPointer
  private let size: Int
  private var free: FreeUnits

  private static let unit = 64

  init?(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return nil }
    unsafe self.start = start
    free = FreeUnits(memory.count / Self.unit)
    size = free.count * Self.unit
  }

  private func units(_ count: Int) -> Int { max(1, (count + Self.unit - 1) / Self.unit) }

  mutating func take(_ count: Int) -> UnsafeMutableRawPointer? {
    guard let first = free.take(units(count)) else { return nil }
    return unsafe start + first * Self.unit
  }

  /// Frees memory; returns `false` if it is not of this region.
  mutating func give(back address: UInt, _ count: Int) -> Bool {
    let base = unsafe UInt(bitPattern: start)
    guard address >= base, address < base + UInt(size) else { return false }
    free.give(back: Int(address - base) / Self.unit, units(count))
    return true
  }
}
