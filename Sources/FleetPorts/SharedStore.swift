package import AcctPorts

/// Objects on an engine that several machines reach, changed by compare-and-swap.
///
/// A shared keyring requires no more of an engine: neither leases nor watches. Every call blocks its thread, for 5
/// seconds at most, and reads what a majority has (linearizable). The engine sees keys, sizes and times; every value
/// is ciphertext.
package struct SharedStore: Sendable {
  package typealias Failure = SharedStoreFailure

  /// Creates what the first write needs, such as a table, unless it exists.
  package var prepare: @Sendable () throws(Failure) -> Void
  /// Returns an object, or `nil` in its place if there is none.
  package var get: @Sendable (_ key: String) throws(Failure) -> Reading
  /// Writes an object if it still has the version that the caller has read; `nil` stands for "not there" both as the
  /// bytes, to remove it, and as the version, to make it.
  ///
  /// Returns the new version, or `nil` if the object has another version now and nothing was changed. After a failure
  /// the write may or may not have been made: the caller reads back.
  package var swap:
    @Sendable (_ key: String, _ bytes: [UInt8]?, _ ifVersion: Int64?) throws(Failure) ->
      Int64?
  /// Returns the changes under a prefix since a version, and every key there, as of one moment.
  package var changes: @Sendable (_ prefix: String, _ since: Int64) throws(Failure) -> Changes
  /// Ends the connection, if there is one.
  package var end: @Sendable () -> Void

  package init(
    prepare: @escaping @Sendable () throws(Failure) -> Void,
    get: @escaping @Sendable (_ key: String) throws(Failure) -> Reading,
    swap:
      @escaping @Sendable (_ key: String, _ bytes: [UInt8]?, _ ifVersion: Int64?)
      throws(Failure) -> Int64?,
    changes:
      @escaping @Sendable (_ prefix: String, _ since: Int64) throws(Failure) -> Changes,
    end: @escaping @Sendable () -> Void = {}
  ) {
    self.prepare = prepare
    self.get = get
    self.swap = swap
    self.changes = changes
    self.end = end
  }
}

extension SharedStore {
  /// An object as it was read.
  package struct Object: Equatable, Sendable {
    package var key: String
    package var bytes: [UInt8]
    /// Higher than that of any earlier change to any object of the store, and at least 1.
    package var version: Int64

    package init(key: String, bytes: [UInt8], version: Int64) {
      self.key = key
      self.bytes = bytes
      self.version = version
    }
  }

  /// The identity and revision of the store that answered: an older or another one was restored from a backup.
  package struct Standing: Equatable, Sendable {
    /// Names the cluster or the database for as long as it lives.
    package var identifier: String
    /// The version of its latest change, or a later one.
    package var revision: Int64

    package init(identifier: String, revision: Int64) {
      self.identifier = identifier
      self.revision = revision
    }
  }

  /// The answer to a read.
  package struct Reading: Equatable, Sendable {
    package var object: Object?
    package var standing: Standing

    package init(object: Object?, standing: Standing) {
      self.object = object
      self.standing = standing
    }
  }

  /// The objects that have changed, and the keys of all.
  package struct Changes: Equatable, Sendable {
    /// The objects whose version is higher than the one asked for.
    package var objects: [Object]
    /// The keys of all objects, these among them; one that is missing was removed.
    package var keys: Set<String>
    package var standing: Standing

    package init(objects: [Object], keys: Set<String>, standing: Standing) {
      self.objects = objects
      self.keys = keys
      self.standing = standing
    }
  }
}
