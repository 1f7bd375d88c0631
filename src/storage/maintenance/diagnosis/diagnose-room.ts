import type { Database } from '../../database/database.js';
import { sqlStatement } from '../../database/statement/statement.js';
import { TIMES_WHAT_IS_LEFT } from '../../watch-cache/quota.js';
import type { Diagnosis } from './diagnosis.js';

/** The limits of the servers; 0: none. */
export interface RoomLimits {
  readonly maxBytes: number;
  readonly maxEventBytes: number;
}

interface Room {
  readonly events: boolean;
  readonly bytes: number;
  readonly namespace: string | null;
  readonly inNamespace: number;
  /** An object of the user who has the most. */
  readonly example: string | null;
  readonly byUser: number;
}

/** What is charged for Events and for other objects, and who has the most of either; as src/storage/watch-cache/state/usage.ts charges it. */
const READ_ROOM = sqlStatement<Room, readonly []>(
  'diagnose_room',
  `
  with charged as materialized (
    select resource = 'events' as events, path, greatest(1024, octet_length(data)) as bytes,
           case when strpos(path, '/') > 0 then split_part(path, '/', 1) end as namespace,
           case when substr(uid, 15, 1) = '8' then left(uid, 13) end as creator
    from objects
  ), namespaces as (
    select distinct on (events) events, namespace, sum(bytes) as bytes
    from charged where namespace is not null group by events, namespace order by events, sum(bytes) desc
  ), creators as (
    select distinct on (events) events, min(path) as example, sum(bytes) as bytes
    from charged where creator is not null group by events, creator order by events, sum(bytes) desc
  )
  select events, sum(c.bytes)::bigint as bytes, n.namespace, coalesce(n.bytes, 0)::bigint as "inNamespace",
         u.example, coalesce(u.bytes, 0)::bigint as "byUser"
  from charged c left join namespaces n using (events) left join creators u using (events)
  group by events, n.namespace, n.bytes, u.example, u.bytes order by events`,
);

const NEARLY_FULL = 0.8;

/** Whether there is room for more objects, and who has the most of it. */
export async function diagnoseRoom(database: Database, limits: RoomLimits): Promise<Diagnosis[]> {
  const rooms = await database.query(READ_ROOM, []);
  return rooms.map((room) =>
    room.events ? roomFor(room, 'Events', limits.maxEventBytes) : roomFor(room, 'objects other than Events', limits.maxBytes),
  );
}

function roomFor({ bytes, namespace, inNamespace, example, byUser }: Room, what: string, most: number): Diagnosis {
  const check = `room for ${what}`;
  if (most === 0) return { check, state: 'ok', detail: `${kib(bytes)} are used, without a limit` };
  const share = Math.max(0, TIMES_WHAT_IS_LEFT * (most - bytes));
  const owners = [
    ...(namespace === null ? [] : [{ name: `namespace ${namespace}`, has: inNamespace }]),
    ...(example === null ? [] : [{ name: `the user who created ${example}`, has: byUser }]),
  ];
  const isFull = bytes > NEARLY_FULL * most || owners.some(({ has }) => has > NEARLY_FULL * share);
  const whose = owners.map(({ name, has }) => `${name} has ${kib(has)}`).join(', ');
  const detail = `${kib(bytes)} of ${kib(most)} are used, and at most ${kib(Math.min(share, most))} by one namespace or user: ${whose}`;
  return { check, state: isFull ? 'warning' : 'ok', detail: owners.length > 0 ? detail : `${kib(bytes)} of ${kib(most)} are used` };
}

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}
