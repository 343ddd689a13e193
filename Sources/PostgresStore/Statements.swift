import Text

/// The SQL that acct sends.
///
/// Every change first raises the one number in `acct_store`, and its row stays locked until the
/// transaction is over: versions become visible in their order. With numbers from a sequence, a reader
/// could see version 12, and miss 11 for good, which is committed later.
enum Statements {
  /// The settings of a session.
  ///
  /// `statement_timeout` ends a statement on the server before the caller gives up: then nothing was
  /// changed. Each change is one statement, for which `read committed` is right: it waits for the
  /// change before it, and then looks again whether the version is still the one.
  static let session = """
    SET synchronous_commit TO on;
    SET statement_timeout TO 4500;
    SET default_transaction_isolation TO 'read committed';
    SET client_min_messages TO error;
    """

  /// Reads the number that initdb gave the cluster: another one where a dump was loaded elsewhere.
  static let systemIdentifier = "SELECT system_identifier::text FROM pg_control_system();"

  /// Makes the tables.
  static let tables = """
    CREATE TABLE IF NOT EXISTS acct_objects (
      key text COLLATE "C" PRIMARY KEY,
      version bigint NOT NULL,
      bytes bytea NOT NULL);
    CREATE TABLE IF NOT EXISTS acct_store (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      identifier uuid NOT NULL DEFAULT gen_random_uuid(),
      revision bigint NOT NULL) WITH (fillfactor = 50);
    INSERT INTO acct_store (revision)
      SELECT coalesce(max(version), 1) FROM acct_objects ON CONFLICT DO NOTHING;
    """

  /// The most bytes of an object and of an answer, as etcd's client has them.
  static let objectLimit = 1 << 20
  static let answerLimit = 64 << 20

  /// Bytes that a row takes here besides its key and its object.
  private static let rowCost = 256

  /// An object's bytes, or none in the place of too many: the server does not send them.
  private static let bytes = """
    CASE WHEN octet_length(o.bytes) <= \(objectLimit) THEN o.bytes ELSE ''::bytea END
    """

  /// Reads the object `$1`: one row, if the store is there.
  static let get = """
    SELECT s.identifier::text, s.revision, o.key, o.version, \(bytes)
    FROM acct_store s LEFT JOIN acct_objects o ON o.key = $1
    """

  /// Reads all keys that begin with `$1`, and the objects changed after `$2`: one row each, or one without.
  ///
  /// The last column is the size of it all, in bytes; over the limit there is one row without an object.
  static let changes = """
    WITH answer AS (
      SELECT coalesce(sum(\(rowCost) + octet_length(key) + CASE WHEN version > $2::bigint
        AND octet_length(bytes) <= \(objectLimit) THEN octet_length(bytes) ELSE 0 END), 0)::bigint AS size
      FROM acct_objects WHERE key ^@ $1)
    SELECT s.identifier::text, s.revision, o.key, o.version,
      CASE WHEN o.version > $2::bigint THEN \(bytes) END, answer.size
    FROM acct_store s CROSS JOIN answer
    LEFT JOIN acct_objects o ON o.key ^@ $1 AND answer.size <= \(answerLimit)
    """

  private static let next = """
    WITH next AS (UPDATE acct_store SET revision = revision + 1 RETURNING revision)
    """

  /// Writes or removes an object that has the version, and returns the new one.
  ///
  /// All that comes from outside is in it as digits: nothing needs to be quoted.
  static func swap(_ key: String, _ bytes: [UInt8]?, ifVersion version: Int64?) -> String {
    let key = "convert_from(decode('\(hex(Array(key.utf8)))', 'hex'), 'UTF8')"
    switch (bytes, version) {
    case (let bytes?, nil):
      return """
        \(next) INSERT INTO acct_objects (key, version, bytes)
        SELECT \(key), next.revision, decode('\(hex(bytes))', 'hex') FROM next
        ON CONFLICT (key) DO NOTHING RETURNING version
        """
    case (let bytes?, let version?):
      return """
        \(next) UPDATE acct_objects o SET version = next.revision, bytes = decode('\(hex(bytes))', 'hex')
        FROM next WHERE o.key = \(key) AND o.version = \(version) RETURNING o.version
        """
    case (nil, let version?):
      return """
        \(next) DELETE FROM acct_objects o
        USING next WHERE o.key = \(key) AND o.version = \(version) RETURNING next.revision
        """
    case (nil, nil):
      return """
        SELECT revision FROM acct_store
        WHERE NOT EXISTS (SELECT FROM acct_objects WHERE key = \(key))
        """
    }
  }
}
