import { queryNode } from './query-node.js';
import type { Endpoint } from './tcp-link.js';

interface Sender {
  readonly state: string;
  readonly sync_state: string;
}

/** What keeps a primary from being followed by so many standbys; undefined when nothing does. */
export async function replicationTrouble(primary: Endpoint, standbys: number, synchronous: boolean): Promise<string | undefined> {
  const senders = await queryNode<Sender>(
    primary,
    "select state, sync_state from pg_stat_replication where application_name <> 'pg_basebackup'",
  ).catch((error: unknown) => (error as Error).message);
  if (typeof senders === 'string') return `the primary does not answer: ${senders}`;
  const streaming = senders.filter(({ state }) => state === 'streaming');
  if (streaming.length < standbys) return `${streaming.length} of ${standbys} standbys follow`;
  if (!synchronous) return undefined;
  return streaming.some(({ sync_state: how }) => how === 'sync' || how === 'quorum') ? undefined : 'no standby is synchronous';
}
