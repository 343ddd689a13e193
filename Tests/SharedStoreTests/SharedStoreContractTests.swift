import AcctPorts
import FleetPorts
import Testing

/// What every shared store promises; a fake is trusted only because it passes the same tests.
@Suite("Every shared store", .timeLimit(.minutes(3)))
struct SharedStoreContractTests {
  @Test("A store has nothing at a key that was never written", arguments: StoreFactory.all)
  func nothing(factory: StoreFactory) async throws {
    try await factory.withStore { store, _, prefix in
      let reading = try store.get("\(prefix)a")
      #expect(reading.object == nil)
      #expect(!reading.standing.identifier.isEmpty)
      #expect(reading.standing.revision >= 1)
    }
  }

  @Test("A store gives every connection what was written", arguments: StoreFactory.all)
  func roundTrip(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      let version = try #require(try store.swap("\(prefix)a", [1, 2], nil))
      let expected = SharedStore.Object(key: "\(prefix)a", bytes: [1, 2], version: version)
      for store in [store, fromElsewhere] {
        let reading = try store.get("\(prefix)a")
        #expect(reading.object == expected)
        #expect(reading.standing.revision >= version)
      }
    }
  }

  @Test("A store does not create what is there", arguments: StoreFactory.all)
  func creation(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      let version = try #require(try store.swap("\(prefix)a", [1], nil))
      #expect(try fromElsewhere.swap("\(prefix)a", [2], nil) == nil)
      // The same bytes are no excuse.
      #expect(try fromElsewhere.swap("\(prefix)a", [1], nil) == nil)
      #expect(try store.get("\(prefix)a").object?.version == version)
    }
  }

  @Test("A store replaces what has the expected version, and nothing else", arguments: StoreFactory.all)
  func replacement(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      let first = try #require(try store.swap("\(prefix)a", [1], nil))
      let second = try #require(try fromElsewhere.swap("\(prefix)a", [2], first))
      #expect(second > first)
      #expect(try store.swap("\(prefix)a", [3], first) == nil)
      #expect(try store.swap("\(prefix)a", [3], second + 1) == nil)
      #expect(try store.swap("\(prefix)b", [3], second) == nil)
      #expect(try store.get("\(prefix)a").object?.bytes == [2])
      #expect(try store.get("\(prefix)b").object == nil)
    }
  }

  @Test("A store removes what has the expected version, and nothing else", arguments: StoreFactory.all)
  func removal(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      let first = try #require(try store.swap("\(prefix)a", [1], nil))
      let second = try #require(try store.swap("\(prefix)a", [2], first))
      #expect(try fromElsewhere.swap("\(prefix)a", nil, first) == nil)
      #expect(try store.get("\(prefix)a").object?.bytes == [2])
      let removed = try #require(try fromElsewhere.swap("\(prefix)a", nil, second))
      #expect(removed > second)
      #expect(try store.get("\(prefix)a").object == nil)
      #expect(try store.swap("\(prefix)a", nil, second) == nil)
      let again = try #require(try store.swap("\(prefix)a", [3], nil))
      #expect(again > removed)
    }
  }

  @Test("A store can be asked to leave a key away, and changes nothing", arguments: StoreFactory.all)
  func absence(factory: StoreFactory) async throws {
    try await factory.withStore { store, _, prefix in
      let before = try store.get("\(prefix)a").standing.revision
      let version = try #require(try store.swap("\(prefix)a", nil, nil))
      #expect(version >= before)
      _ = try #require(try store.swap("\(prefix)a", [1], nil))
      #expect(try store.swap("\(prefix)a", nil, nil) == nil)
      #expect(try store.get("\(prefix)a").object?.bytes == [1])
    }
  }

  @Test("A store's versions grow from one key to the next", arguments: StoreFactory.all)
  func order(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      var last: Int64 = 0
      for round in 0..<3 {
        for (key, writer) in [("a", store), ("b", fromElsewhere)] {
          let there = try writer.get("\(prefix)\(key)").object?.version
          let version = try #require(try writer.swap("\(prefix)\(key)", [UInt8(round)], there))
          #expect(version > last)
          last = version
        }
      }
      #expect(try store.get("\(prefix)c").standing.revision >= last)
    }
  }

  @Test("A store keeps bytes unchanged", arguments: StoreFactory.all)
  func bytes(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      let all = [UInt8](0...255)
      let long = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      for (key, bytes) in [("all", all), ("long", long), ("one", [0])] {
        _ = try #require(try store.swap("\(prefix)\(key)", bytes, nil))
        #expect(try fromElsewhere.get("\(prefix)\(key)").object?.bytes == bytes)
      }
      let changes = try fromElsewhere.changes(prefix, 0)
      #expect(Set(changes.objects.map(\.bytes)) == [all, long, [0]])
    }
  }

  @Test("A store tells what has changed since a version, and every key", arguments: StoreFactory.all)
  func changes(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      #expect(try store.changes(prefix, 0).objects == [])
      #expect(try store.changes(prefix, 0).keys == [])
      let first = try #require(try store.swap("\(prefix)a", [1], nil))
      let second = try #require(try store.swap("\(prefix)b", [2], nil))
      let third = try #require(try store.swap("\(prefix)c", [3], nil))
      let all = try fromElsewhere.changes(prefix, 0)
      #expect(all.keys == ["\(prefix)a", "\(prefix)b", "\(prefix)c"])
      #expect(Set(all.objects.map(\.version)) == [first, second, third])
      #expect(all.standing.revision >= third)

      let changed = try #require(try store.swap("\(prefix)a", [9], first))
      let removed = try #require(try store.swap("\(prefix)b", nil, second))
      let later = try fromElsewhere.changes(prefix, third)
      let expected = SharedStore.Object(key: "\(prefix)a", bytes: [9], version: changed)
      #expect(later.objects == [expected])
      #expect(later.keys == ["\(prefix)a", "\(prefix)c"])
      #expect(later.standing.revision >= removed)
      #expect(try store.changes(prefix, changed).objects == [])
      #expect(try store.changes(prefix, removed).keys == ["\(prefix)a", "\(prefix)c"])
    }
  }

  @Test("A store keeps prefixes apart", arguments: StoreFactory.all)
  func isolation(factory: StoreFactory) async throws {
    try await factory.withStore { store, _, prefix in
      for key in ["x/a", "x/b", "x", "x0", "xy", "y/a", "X/a", "x%a", "x_a"] {
        _ = try #require(try store.swap(prefix + key, Array(key.utf8), nil))
      }
      let changes = try store.changes("\(prefix)x/", 0)
      #expect(changes.keys == ["\(prefix)x/a", "\(prefix)x/b"])
      #expect(Set(changes.objects.map(\.key)) == changes.keys)
    }
  }

  @Test("A store lets one of many swaps at once win", arguments: StoreFactory.all)
  func race(factory: StoreFactory) async throws {
    try await factory.withStore { store, _, prefix in
      let key = "\(prefix)a"
      var stores: [SharedStore] = []
      for _ in 0..<20 { stores.append(try await factory.connect()) }
      defer { for store in stores { store.end() } }
      // Connected, one after the other: the swaps are to meet, not the handshakes of a busy machine.
      for store in stores { #expect(try store.get(key).object == nil) }
      var version: Int64?
      for round in 0..<3 {
        let outcomes = try await together(stores) { [version] number, store in
          try store.swap(key, [UInt8(round), UInt8(number)], version)
        }
        let winners = outcomes.enumerated().filter { $0.element != nil }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        let there = try store.get(key).object
        #expect(there?.bytes == [UInt8(round), UInt8(winner.offset)])
        #expect(there?.version == winner.element)
        version = winner.element
      }
    }
  }

  @Test("A store can be used by several threads at once", arguments: StoreFactory.all)
  func threads(factory: StoreFactory) async throws {
    try await factory.withStore { store, _, prefix in
      let made = try await together(Array(repeating: store, count: 8)) { number, store in
        try store.swap("\(prefix)\(number)", [UInt8(number)], nil)
      }
      #expect(Set(made.compactMap(\.self)).count == 8)
      #expect(try store.changes(prefix, 0).keys.count == 8)
    }
  }

  @Test("A store connects again after its end", arguments: StoreFactory.all)
  func end(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      store.end()
      let version = try #require(try store.swap("\(prefix)a", [1], nil))
      store.end()
      store.end()
      #expect(try store.get("\(prefix)a").object?.version == version)
      #expect(try fromElsewhere.get("\(prefix)a").object?.version == version)
    }
  }

  @Test("A store keeps its identifier, and no call makes it older", arguments: StoreFactory.all)
  func standing(factory: StoreFactory) async throws {
    try await factory.withStore { store, fromElsewhere, prefix in
      try store.prepare()
      let first = try store.get("\(prefix)a").standing
      _ = try store.swap("\(prefix)a", [1], nil)
      let second = try fromElsewhere.changes(prefix, 0).standing
      #expect(second.identifier == first.identifier)
      #expect(second.revision > first.revision)
    }
  }
}
