import { IsIn, IsOptional, Matches, Min } from 'class-validator';
import { Setting } from '../settings/setting.js';
import { POOLING } from './database/session/pooling.js';
import type { Pooling } from './database/session/pooling.js';

const NOT_NEGATIVE = 'must not be negative';

/** Which database is used, and how much is kept in it. */
export class StorageSettings {
  @Setting({
    kind: 'text',
    help: 'The PostgreSQL server to use instead of the embedded one; PGHOST and the other PG* variables select one too. Of several hosts, separated by commas, the primary is used.',
    placeholder: 'url',
    alsoEnvironment: 'DATABASE_URL',
  })
  @IsOptional()
  databaseUrl = '';

  @Setting({
    kind: 'text',
    help: 'A file that holds the password for --database-url, whose user has none in it then.',
    placeholder: 'file',
  })
  databasePasswordFile = '';

  @Setting({
    kind: 'text',
    help: "The schema of the server's tables (default: coordination, or the one in which an earlier version made them). Named, it may have tables of other programs.",
    placeholder: 'schema',
  })
  @Matches(/^(?!pg_)(?!\d)[a-z0-9_]{0,42}$/, { message: 'must be at most 42 lower-case letters, digits and _' })
  databaseSchema = '';

  @Setting({
    kind: 'text',
    help: `What a connection to the database is: ${POOLING.join(', ')}; transaction behind a pooler that gives each transaction another session, auto finds out.`,
    placeholder: 'mode',
  })
  @IsIn(POOLING, { message: `must be one of ${POOLING.join(', ')}` })
  databasePooling: Pooling = 'auto';

  @Setting({ kind: 'duration', help: 'How often old revisions are dropped; 0 never does. A watch can go back one to two intervals.' })
  @Min(0)
  compactionInterval = 300_000;

  @Setting({ kind: 'integer', help: 'The most objects that are kept; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjects = 0;

  @Setting({
    kind: 'integer',
    help: 'The most bytes that all objects together may take, encoded as JSON; 0 sets no limit.',
    placeholder: 'bytes',
  })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytes = 268_435_456;

  @Setting({ kind: 'integer', help: 'The most objects that are kept in one namespace; 0 sets no limit.', placeholder: 'count' })
  @Min(0, { message: NOT_NEGATIVE })
  maxObjectsPerNamespace = 0;

  @Setting({ kind: 'integer', help: 'The most bytes that the objects of one namespace may take; 0 sets no limit.', placeholder: 'bytes' })
  @Min(0, { message: NOT_NEGATIVE })
  maxBytesPerNamespace = 0;
}
