import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { CompactionRepository } from '../postgres/compaction/compaction.repository.js';
import { Compactor } from '../postgres/compaction/compactor.js';
import { systemScheduler } from '../scheduler.js';

/** Forgets changes up to a revision, or the newest one; answers up to where they are forgotten now, which is never moved back. */
export async function compactHistory(database: Database, logger: Logger, revision?: number): Promise<number> {
  const compactor = new Compactor(database, { compactionIntervalMs: 0 }, systemScheduler, logger);
  // What is written to a segment that is in use stays until that is full.
  await compactor.rotate();
  await compactor.compact(revision ?? Number.MAX_SAFE_INTEGER);
  return new CompactionRepository(database).revision();
}
