import { Setting } from '../settings/setting.js';
import { type Pooling, POOLING } from './database/session/database-options.js';
import { DEFAULT_STORE_OPTIONS } from './postgres/open-postgres-store.js';

const { compactionIntervalMs, commitDelayMs, stateLimits, termHistoryMs, termHistoryRows } = DEFAULT_STORE_OPTIONS;

/** Settings of the database and of the limits on its content. */
export class StorageSettings {
  static readonly group = 'Database and storage';

  @Setting({
    kind: 'text',
    help: 'PostgreSQL server to use instead of the embedded one; PGHOST and the other PG* variables select one too. If it names several hosts, separated by commas, the primary is used.',
    placeholder: 'url',
    alsoEnvironment: 'DATABASE_URL',
  })
  databaseUrl = '';

  @Setting({
    kind: 'text',
    help: 'File with the password for --database-url, which must name a user but no password. A server reads it for each new connection.',
  })
  databasePasswordFile = '';

  @Setting({
    kind: 'text',
    help: "Schema of the server's tables (default: coordination, or the schema in which an earlier version created them). A schema given here may contain tables of other programs.",
    placeholder: 'schema',
    pattern: /^(?!pg_)(?!\d)[a-z0-9_]{0,42}$/,
    message: 'must be at most 42 lower-case letters, digits and _',
  })
  databaseSchema = '';

  @Setting({
    kind: 'text',
    help: `How a connection relates to database sessions: ${POOLING.join(', ')}. Use transaction behind a pooler that may give each transaction another session; auto detects that.`,
    placeholder: 'mode',
    values: POOLING,
  })
  databasePooling: Pooling = 'auto';

  @Setting({
    kind: 'duration',
    help: 'How often old revisions are removed; 0 keeps them all. A watch can start one to two intervals back.',
  })
  compactionInterval = compactionIntervalMs;

  @Setting({
    kind: 'duration',
    help: "How long a renewal may wait for others that share its commit, where so many arrive that some are likely, and at most a thousandth of the lease's duration; 0 never waits.",
    min: 0,
    max: 100,
    message: 'must be at most 100ms',
  })
  renewalDelay = commitDelayMs;

  @Setting({ kind: 'duration', help: 'How long terms of leadership are kept after their end; 0 records none.' })
  termHistory = termHistoryMs;

  @Setting({ kind: 'integer', help: 'Limit on the number of terms that have ended; the oldest are dropped first.', min: 1000 })
  termHistoryRows = termHistoryRows;

  @Setting({ kind: 'integer', help: 'Limit on the number of objects other than Events; 0 sets no limit.', min: 0 })
  maxObjects = 0;

  @Setting({
    kind: 'integer',
    help: 'Limit on the size in bytes of all objects other than Events, encoded as JSON, each at least 1 KiB; no namespace or user may have more than three times what is left. 0 sets no limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxBytes = 268_435_456;

  @Setting({
    kind: 'integer',
    help: 'Limit on the size in bytes of all Events, which take no room of other objects, with the same shares; 0 sets no limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxEventBytes = 67_108_864;

  @Setting({ kind: 'integer', help: 'Limit on the number of objects other than Events in one namespace; 0 sets no limit.', min: 0 })
  maxObjectsPerNamespace = 0;

  @Setting({
    kind: 'integer',
    help: 'Limit on the size in bytes of the objects in one namespace, Events apart; 0 sets no further limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxBytesPerNamespace = 0;

  @Setting({
    kind: 'integer',
    help: 'Limit on the size in bytes of the objects that one user has created, Events apart; 0 sets no further limit.',
    placeholder: 'bytes',
    min: 0,
  })
  maxBytesPerUser = 0;

  @Setting({
    kind: 'integer',
    help: "Limit on the size in bytes of all versions of Terraform's states together; 0 sets no limit.",
    placeholder: 'bytes',
    min: 0,
  })
  maxStateBytes = stateLimits.bytes;

  @Setting({
    kind: 'integer',
    help: "Share of --max-state-bytes, and of the number of Terraform's states, that one namespace may use; 100 sets no limit.",
    placeholder: 'percent',
    min: 1,
    max: 100,
  })
  maxStatePercentPerNamespace = stateLimits.percentPerNamespace;
}
