import type pg from 'pg';
import { eventually } from '../../support/eventually.js';
import type { ServerProcess } from '../../support/server-process.js';
import { acknowledged } from './acknowledged.js';
import { acceptedOf } from './fenced-tables.js';
import type { LeaseHistory } from './lease-history.js';
import { versionsOf } from './lease-log.js';
import { servedTermsOf, termsOf } from './lease-terms.js';
import { overstays } from './overstays.js';
import type { RaceContestant } from './race-contestant.js';
import type { LeaseEvidence } from './race-report.js';

interface Sources {
  readonly database: pg.Pool;
  /** The server that the contestants do not use. */
  readonly other: ServerProcess;
  readonly histories: readonly LeaseHistory[];
  readonly contestants: readonly RaceContestant[];
}

/** What there is to know of each lease when all contestants have ended. */
export async function gatherEvidence({ database, other, histories, contestants }: Sources): Promise<LeaseEvidence[]> {
  const evidence: LeaseEvidence[] = [];
  for (const { lease, versions: watched } of histories) {
    const versions = await versionsOf(database, lease);
    // versions that never come are a failure of the report
    await eventually(() => watched.length >= versions.length).catch(() => undefined);
    const own = contestants.filter((contestant) => contestant.lease === lease);
    evidence.push({
      ...{ lease, versions, watched },
      recorded: await termsOf(database, lease),
      served: await servedTermsOf(other.url, lease),
      beliefs: own.flatMap(({ reigns }) => reigns),
      acknowledged: acknowledged(own.flatMap(({ lines }) => lines)).revisions,
      overstays: own.flatMap(({ reigns, pauses }) => overstays(reigns, pauses, watched)),
      toldToStop: own.flatMap(({ toldToStop }) => toldToStop),
      accepted: await acceptedOf(database, lease),
    });
  }
  return evidence;
}
