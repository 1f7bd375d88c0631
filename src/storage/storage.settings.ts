import { IsIn, IsOptional, Matches, Max, Min } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { POOLING } from './database/session/pooling.js';
import type { Pooling } from './database/session/pooling.js';

const NOT_NEGATIVE = 'must not be negative';
const PERCENTAGE = 'must be from 1 to 100';

/** Settings of the database and of the limits on its content. */
export class StorageSettings {
  @Setting({
    kind: 'text',
    help: 'PostgreSQL server to use instead of the embedded one; PGHOST and the other PG* variables select one too. If it names several hosts, separated by commas, the primary is used.',
    placeholder: 'url',
    alsoEnvironment: 'DATABASE_URL',
  })
  @IsOptional()
  databaseUrl = '';

  @Setting({
    kind: 'text',
    help: 'File with the password for --database-url, which must name a user but no password. A server reads it for each new connection.',
    placeholder: 'file',
  })
  databasePasswordFile = '';

  @Setting({
    kind: 'text',
    help: "Schema of the server's tables (default: coordination, or the schema in which an earlier version created them). A schema given here may contain tables of other programs.",
    placeholder: 'schema',
  })
  @Matches(/^(?!pg_)(?!\d)[a-z0-9_]{0,42}$/, { message: 'must be at most 42 lower-case letters, digits and _' })
  databaseSchema = '';

  @Setting({
    kind: 'text',
    help: `How a connection relates to database sessions: ${POOLING.join(', ')}. Use transaction behind a pooler that may give each transaction another session; auto detects that.`,
    placeholder: 'mode',
  })
  @IsIn(POOLING, { message: `must be one of ${POOLING.join(', ')}` })
  databasePooling: Pooling = 'auto';

  @Setting({
    kind: 'duration',
    help: 'How often old revisions are removed; 0 keeps them all. A watch can start one to two intervals back.',
  })
  @Min(0)
  compactionInterval = 300_000;

  @Setting({
    kind: 'duration',
    help: "How long a renewal may wait for others that share its commit, where so many arrive that some are likely, and at most a thousandth of the lease's duration; 0 never waits.",
  })
  @Min(0, { message: NOT_NEGATIVE })
  @Max(100, { message: 'must be at most 100ms' })
  renewalDelay = 4;

  @Setting({ kind: 'duration', help: 'How long terms of leadership are kept after their end; 0 records none.' })
  @Min(0, { message: NOT_NEGATIVE })
  termHistory = 90 * 24 * 3_600_000;

  @Setting({
    kind: 'integer',
    help: 'Limit on the number of terms that have ended; the oldest are dropped first.',
    placeholder: 'count',
  })
  @Min(1000, { message: 'must be at least 1000' })
  termHistoryRows = 1_000_000;

  @Setting({ kind: 'integer', help: 'Limit on the number of objects; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjects = 0;

  @Setting({
    kind: 'integer',
    help: 'Limit on the size in bytes of all objects together, encoded as JSON; 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytes = 268_435_456;

  @Setting({ kind: 'integer', help: 'Limit on the number of objects in one namespace; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjectsPerNamespace = 0;

  @Setting({ kind: 'integer', help: 'Limit on the size in bytes of the objects in one namespace; 0 sets no limit.', placeholder: 'bytes' })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytesPerNamespace = 0;

  @Setting({
    kind: 'integer',
    help: "Limit on the size in bytes of all versions of Terraform's states together; 0 sets no limit.",
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxStateBytes = 1_073_741_824;

  @Setting({
    kind: 'integer',
    help: "Share of --max-state-bytes, and of the number of Terraform's states, that one namespace may use; 100 sets no limit.",
    placeholder: 'percent',
  })
  @Min(1, { message: PERCENTAGE })
  @Max(100, { message: PERCENTAGE })
  maxStatePercentPerNamespace = 25;
}
