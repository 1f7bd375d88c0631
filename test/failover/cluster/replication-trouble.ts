import { queryNode } from './query-node.js';
import type { Endpoint } from '../../support/tcp-link.js';

export interface Replication {
  readonly primary: Endpoint;
  readonly others: readonly Endpoint[];
  /** How many of the other nodes must follow. */
  readonly standbys: number;
  readonly synchronous: boolean;
}

interface PrimaryState {
  readonly timeline: number;
  readonly synchronous: boolean;
}

const PRIMARY_STATE = `
  select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline,
         exists (select from pg_stat_replication where state = 'streaming' and sync_state in ('sync', 'quorum')) as synchronous`;

/** A standby that must be rewound also streams for short periods, but on the abandoned timeline. */
const STANDBY_TIMELINE = "select received_tli as timeline from pg_stat_wal_receiver where status = 'streaming'";

/** What prevents `standbys` nodes from following a primary; undefined if nothing does. */
export async function replicationTrouble({ primary, others, standbys, synchronous }: Replication): Promise<string | undefined> {
  const answer = await queryNode<PrimaryState>(primary, PRIMARY_STATE).catch((error: unknown) => (error as Error).message);
  if (typeof answer === 'string') return `the primary does not answer: ${answer}`;
  const timelines = await Promise.all(others.map(timelineOf));
  const following = timelines.filter((timeline) => timeline === answer[0]?.timeline).length;
  if (following < standbys) return `${following} of ${standbys} standbys follow`;
  return synchronous && !answer[0]?.synchronous ? 'no standby is synchronous' : undefined;
}

async function timelineOf(standby: Endpoint): Promise<number | undefined> {
  const rows = await queryNode<{ timeline: number }>(standby, STANDBY_TIMELINE).catch(() => []);
  return rows[0]?.timeline;
}
