import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { Compactor, READ_COMPACTED } from '../postgres/compaction/compactor.js';
import { systemScheduler } from '../../time/scheduler.js';

/** Removes changes up to a revision, or up to the newest one. Returns the compacted revision, which never moves back. */
export async function compactHistory(database: Database, logger: Logger, revision?: number): Promise<number> {
  const compactor = new Compactor(database, { compactionIntervalMs: 0 }, systemScheduler, logger);
  // A segment in use keeps its content until it is rotated out.
  await compactor.rotate();
  await compactor.compact(revision ?? Number.MAX_SAFE_INTEGER);
  return (await database.query(READ_COMPACTED, []))[0]?.revision ?? 0;
}
