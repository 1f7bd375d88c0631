import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readPostmasterFile } from '../../src/server/embedded-postgres/postmaster-pid.js';
import { ask } from '../support/http-client.js';
import { type Bed, LEASES } from './bed.js';

/** What an alert tells of: made to happen, and undone. */
export interface Cause {
  readonly what: string;
  readonly alerts: readonly string[];
  readonly happen?: (bed: Bed) => unknown;
  /** Repeated until the alerts fire. */
  readonly during?: (bed: Bed) => unknown;
  /** What the commands of the alert's text say, which must match. */
  readonly follow: (bed: Bed) => string | Promise<string>;
  readonly says: RegExp;
  readonly end?: (bed: Bed) => unknown;
  /** The alert ends by itself, later than anybody waits here. */
  readonly lasts?: true;
}

const now = (): string => new Date().toISOString().replace('Z', '000Z');
const LEADER = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leader-election-controller';
const LATE = 'get leaseterms -A --field-selector status.lapsed=true,status.phase=Held';
const patch = (url: string, body: object) =>
  ask(url, { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: body as never });
const standby = async (bed: Bed, name: string): Promise<void> => {
  await bed.sql(`alter system set synchronous_standby_names = '${name}'`);
  await bed.sql('select pg_reload_conf()');
};

/** A session that has run this and does nothing further. */
let left: pg.Client | undefined;
async function leave({ postgres }: Bed, ...statements: string[]): Promise<void> {
  left = new pg.Client(postgres.url());
  left.on('error', () => undefined);
  await left.connect();
  for (const statement of statements) await left.query(statement);
}
const leaveNothing = (): Promise<void> | undefined => left?.end();

let open: https.RequestOptions[] & { destroy?: () => void } = [];
function watchWithoutReading({ servers }: Bed): void {
  const requests = Array.from({ length: 8 }, () => {
    const options = { rejectUnauthorized: false, agent: false, headers: { authorization: 'Bearer admin-token' } } as const;
    const request = https.get(`${servers[1]!.url}${LEASES}?watch=true`, options, (response) => response.pause());
    return request.on('error', () => undefined);
  });
  open = Object.assign([], { destroy: () => requests.forEach((request) => request.destroy()) });
}

function fill(disk: string): void {
  const file = openSync(path.join(disk, 'ballast'), 'w');
  for (let bytes = 2 ** 20; bytes >= 512;) {
    try {
      if (writeSync(file, Buffer.alloc(bytes)) < bytes) bytes /= 2;
    } catch {
      bytes /= 2;
    }
  }
  closeSync(file);
}

let turn = 0;

export const CAUSES: readonly Cause[] = [
  {
    what: 'a server is killed',
    alerts: ['CoordinationServerDown'],
    happen: ({ servers }) => servers[0]!.kill(),
    follow: (bed) => bed.run('health'),
    says: /ok/,
    end: (bed) => bed.startServer(0),
  },
  {
    what: 'both servers are killed',
    alerts: ['CoordinationAllServersDown'],
    happen: ({ servers }) => Promise.all(servers.map((server) => server.kill())),
    follow: (bed) => bed.run('doctor'),
    says: /PostgreSQL +ok/,
    end: (bed) => Promise.all([bed.startServer(0), bed.startServer(1)]),
  },
  {
    what: 'commits wait for a standby that comes and goes',
    alerts: ['CoordinationRenewalsSlow', 'CoordinationCommitsSlow'],
    during: async (bed) => {
      await standby(bed, 'gone');
      const writes = [0, 1].map((at) => bed.write(`slow-${at}`, { holderIdentity: 'a', renewTime: now() }, at as 0 | 1));
      await sleep(1_800);
      await standby(bed, '');
      await Promise.all(writes);
    },
    follow: async (bed) => {
      await standby(bed, 'gone');
      const said = bed.run('doctor');
      await standby(bed, '');
      return said;
    },
    says: /replication +warning +no standby is connected, and writes wait for one of gone/,
  },
  {
    what: 'the disk of the database is full',
    alerts: ['CoordinationRequestsFail', 'CoordinationCommitsFail'],
    happen: ({ disk }) => fill(disk),
    during: (bed) => bed.write(`full-${(turn += 1)}`, { holderIdentity: 'x'.repeat(5_000) }),
    follow: (bed) => bed.run('doctor'),
    says: /No space left on device|^error: cannot reach the database/,
    end: async (bed) => {
      rmSync(path.join(bed.disk, 'ballast'));
      await bed.sql('select 1').catch(() => bed.postgres.start());
    },
  },
  {
    what: 'the database is killed',
    alerts: ['CoordinationRequestsFail', 'CoordinationFeedLags'],
    happen: ({ disk }) => process.kill(readPostmasterFile(path.join(disk, 'postgres/data'))!.pid, 'SIGKILL'),
    during: (bed) => Promise.all(Array.from({ length: 5 }, (_, n) => bed.write(`dead-${n}`, { renewTime: now() }))),
    follow: (bed) => bed.run('doctor'),
    says: /^error: cannot reach the database/,
    end: ({ postgres }) => postgres.start(),
  },
  {
    what: 'somebody leaves a transaction open',
    alerts: ['CoordinationOldTransaction'],
    happen: (bed) => leave(bed, 'begin isolation level repeatable read', 'select txid_current()'),
    follow: (bed) => bed.run('doctor'),
    says: /long transactions +warning[^]*pg_terminate_backend/,
    end: leaveNothing,
  },
  {
    what: 'the clock of a machine is wrong',
    alerts: ['CoordinationClocksDiffer'],
    happen: ({ clock }) => clock.moveTo(8_000),
    follow: (bed) => bed.run('doctor', 0),
    says: /clocks +warning +the database's clock is [78]\d{3} ms behind this machine's/,
    end: ({ clock }) => clock.moveTo(0),
  },
  {
    what: 'a server is cut off from the database',
    alerts: ['CoordinationFeedLags'],
    happen: ({ proxy }) => proxy.refuse(),
    follow: (bed) => bed.run('doctor', 0),
    says: /^error: cannot reach the database/,
    end: ({ proxy }) => proxy.open(),
  },
  {
    what: 'notifications are lost on the way',
    alerts: ['CoordinationNotListening'],
    happen: ({ proxy }) => {
      proxy.dropsNotifications = true;
      proxy.cut();
    },
    follow: (bed) => bed.log(0),
    says: /notifications of commits do not arrive/,
    end: ({ proxy }) => {
      proxy.dropsNotifications = false;
      proxy.cut();
    },
  },
  {
    what: 'eight watchers do not read',
    alerts: ['CoordinationWatchesTooSlow'],
    happen: watchWithoutReading,
    during: (bed) => bed.write(`large-${(turn += 1) % 3}`, { holderIdentity: String(turn).padEnd(500_000, 'x') }),
    follow: (bed) => bed.log(),
    says: /"of":"user admin".*connection cut off|"user":"admin".*does not keep up/,
    end: () => open.destroy?.(),
  },
  {
    what: 'a lock stops the maintenance of the log',
    alerts: ['CoordinationMaintenanceFails'],
    happen: (bed) =>
      leave(bed, 'begin', 'lock table coordination_tables.revision_log, coordination_tables.compaction in share row exclusive mode'),
    follow: (bed) => bed.run('doctor') + bed.run('compact'),
    says: /long transactions +warning[^]*process \d+ .*compaction.* locked: end it/,
    end: leaveNothing,
  },
  {
    what: 'another program holds the lease of the elected controllers',
    alerts: ['CoordinationNoLeader'],
    happen: (bed) => patch(`${bed.url}${LEADER}`, { spec: { holderIdentity: 'elsewhere', leaseDurationSeconds: 3_600, renewTime: now() } }),
    follow: (bed) => bed.run('doctor lease leader-election-controller -n kube-system'),
    says: /controllers +problem +no server runs the elected ones: elsewhere/,
    end: (bed) => patch(`${bed.url}${LEADER}`, { spec: { holderIdentity: '', leaseDurationSeconds: 1 } }),
  },
  {
    what: 'reads of terms wait for a lock',
    alerts: ['CoordinationDatabaseConnectionsUsedUp'],
    happen: (bed) => leave(bed, 'begin', 'lock table coordination_tables.lease_term in access exclusive mode'),
    during: (bed) => {
      const terms = `${bed.url}/apis/history.coordination-apiserver.dev/v1/namespaces/default/leaseterms?limit=1`;
      // each waits for some seconds and is then refused
      for (let n = 0; n < 2; n++) void ask(terms).catch(() => undefined);
    },
    follow: (bed) => bed.run('doctor'),
    says: /long transactions +warning/,
    end: leaveNothing,
  },
  {
    what: 'a program has a wrong token',
    alerts: ['CoordinationTooManyRefusedCredentials'],
    during: (bed) => ask(`${bed.url}${LEASES}`, { headers: { authorization: 'Bearer wrong' } }),
    follow: (bed) => bed.log(),
    says: /"from":"127\.0\.0\.1".*unauthenticated request rejected/,
  },
  {
    what: 'somebody without rights asks for a free lease',
    alerts: ['CoordinationLeaseRefusedAndNotHeld'],
    happen: (bed) => bed.write('refused', { holderIdentity: '' }),
    during: (bed) =>
      ask(`${bed.url}${LEASES}/refused`, {
        method: 'PUT',
        headers: { authorization: 'Bearer nobody-token' },
        body: { metadata: { name: 'refused' }, spec: { holderIdentity: 'nobody' } },
      }),
    follow: (bed) => bed.kubectl('get refusedrequests -A'),
    says: /refused .*nobody .*NotAllowed/,
  },
  {
    what: 'the holder of a lease and a member die',
    alerts: ['CoordinationLeaseNotTaken', 'CoordinationHeartbeatsStopped'],
    happen: async (bed) => {
      await bed.write('gone', { holderIdentity: 'x', leaseDurationSeconds: 1, renewTime: now() });
      await bed.write('workers-a', { holderIdentity: 'a', leaseDurationSeconds: 1, renewTime: now() });
    },
    follow: (bed) => bed.kubectl(LATE) + bed.run('doctor lease gone -n default'),
    says: /gone[^]*workers-a[^]*holder +problem/,
    end: (bed) => bed.kubectl('delete lease gone workers-a'),
  },
  {
    what: 'two programs take a lease from each other',
    alerts: ['CoordinationLeasesFlap'],
    during: (bed) =>
      bed.write('contest', { holderIdentity: (turn += 1) % 2 ? 'one' : 'other', leaseDurationSeconds: 15, renewTime: now() }),
    follow: (bed) =>
      bed.kubectl('get leaseterms -A --sort-by=.spec.from').trim().split('\n').at(-1) + bed.run('doctor lease contest -n default'),
    says: /contest[^]*the holder changed \d+ times/,
    lasts: true,
  },
  {
    what: 'a process gets no CPU for most of the time',
    alerts: ['CoordinationEventLoopLate'],
    during: async ({ servers }) => {
      servers[0]!.signal('SIGSTOP');
      await sleep(600);
      servers[0]!.signal('SIGCONT');
      await sleep(100);
    },
    follow: async ({ servers }) => {
      const metrics = await ask(`${servers[0]!.url}/metrics`, { headers: { authorization: 'Bearer admin-token' } });
      return metrics.text;
    },
    says: /^process_cpu_seconds_total \d/m,
  },
];
