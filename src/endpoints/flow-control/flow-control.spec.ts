import { ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, SYSTEM_MASTERS } from '../../auth/authentication/authenticator.js';
import { ROOT_URL, parseQuery, parseRequestUrl } from '../request-info/query.js';
import { parseRequestInfo } from '../request-info/request-info.js';
import { FLOW_SCHEMAS, FlowControl, LoopPressure } from './flow-control.js';
import { REJECTIONS_PER_TURN } from './priority-level.js';
import { type LimitedRequest, type ResourceSizes, type Ticket, WorkEstimator } from './request-limiter.js';

{
  const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

  function requestOf(
    name: string,
    target: string,
    { method = 'GET', groups = [ALL_AUTHENTICATED], limitMs = 60_000 } = {},
  ): LimitedRequest {
    const url = parseRequestUrl(target) ?? ROOT_URL;
    const query = parseQuery(url.rawQuery);
    return { user: { name, uid: '', groups, extra: {} }, info: parseRequestInfo(method, url, () => query), query, admission: { limitMs } };
  }

  const list = (name: string, query = '') => requestOf(name, LEASES + query);
  const renewal = (name: string) => requestOf(name, `${LEASES}/a`, { method: 'PUT' });

  let time = 0;
  let control: FlowControl | undefined;
  afterEach(() => control?.close());

  /** 335 seats equal the number of shares. */
  function limits(seats = 335, sizes: ResourceSizes = () => undefined): FlowControl {
    time = 1_000_000;
    control = new FlowControl({ seats, estimator: new WorkEstimator(sizes), requestTimeoutMs: 60_000, now: () => time });
    return control;
  }

  function levelOf(flowControl: FlowControl, name: string) {
    const level = flowControl.statistics().find((each) => each.name === name);
    if (!level) throw new Error(`no level ${name}`);
    return level;
  }

  /** Admits requests until one does not execute; returns those that do. */
  function fill(flowControl: FlowControl, request: () => LimitedRequest): Ticket[] {
    const executing: Ticket[] = [];
    for (;;) {
      const ticket = flowControl.admit(request());
      if (ticket.state !== 'executing') {
        ticket.close();
        return executing;
      }
      executing.push(ticket);
    }
  }

  /** Records the order in which waiting tickets are decided. */
  function note(ticket: Ticket, name: string, decisions: string[]): void {
    if (ticket.state === 'executing') decisions.push(`${name} at once`);
    else ticket.decided = (retryAfter) => void decisions.push(retryAfter === undefined ? name : `${name} rejected, ${retryAfter}`);
  }

  describe('seats', () => {
    test('a full level makes its requests wait, and other levels continue', () => {
      const flowControl = limits();
      fill(flowControl, () => list('flooder'));
      expect(flowControl.admit(list('flooder')).state).toBe('waiting');
      expect(flowControl.admit(renewal('holder')).state).toBe('executing');
      expect(flowControl.admit(requestOf('node', LEASES, { groups: ['system:nodes', ALL_AUTHENTICATED] })).state).toBe('executing');
    });

    test('requests are counted by flow schema while they wait and execute', () => {
      const flowControl = limits();
      const executing = fill(flowControl, () => list('flooder'));
      const waiting = flowControl.admit(list('flooder'));
      const counts = () => flowControl.schemaStatistics().find(({ name }) => name === 'global-default')?.counts;
      const most = executing.length;
      expect(counts()).toMatchObject({ waiting: 1, executing: most, seats: most, dispatched: most });
      executing[0]?.close();
      expect(waiting.state).toBe('executing');
      expect(counts()).toMatchObject({ waiting: 0, executing: most, seats: most, dispatched: most + 1 });
      for (const ticket of [...executing, waiting]) ticket.close();
      expect(counts()).toMatchObject({ waiting: 0, executing: 0, seats: 0, dispatched: most + 1 });
    });

    test('a long-running request other than a watch takes a seat that its answer does not show', () => {
      const flowControl = limits();
      const asked = (path: string) => {
        const request = requestOf('someone', path);
        flowControl.admit(request);
        return request.classification?.flowSchemaUid;
      };
      expect(asked(`${LEASES}/a/log`)).toBeUndefined();
      expect(asked('/debug/pprof/')).toBeUndefined();
      expect(asked(`${LEASES}/a/status`)).toBeDefined();
      expect(asked(`${LEASES}?watch=true`)).toBeDefined();
      expect(flowControl.statistics().reduce((sum, { executing }) => sum + executing, 0)).toBe(4);
    });

    test('members of system:masters and probes never wait', () => {
      const flowControl = limits();
      for (let i = 0; i < 1000; i++) {
        expect(flowControl.admit(requestOf('admin', LEASES, { groups: [SYSTEM_MASTERS] })).state).toBe('executing');
        expect(flowControl.admit(requestOf('probe', '/readyz/database')).state).toBe('executing');
      }
    });

    test('seats that a level lends are used by others, and seats that it keeps are not', () => {
      const flowControl = limits();
      const used = fill(flowControl, () => list('a')).length + fill(flowControl, () => list('b')).length;
      const kept = 100 + 30 + 20 + 20 + 10 + 5;
      expect(used).toBe(335 - kept);
      expect(fill(flowControl, () => renewal('c')).length + fill(flowControl, () => renewal('d')).length).toBe(100);
    });

    test('one flow leaves some seats of its level to the others', () => {
      const flowControl = limits();
      const flooder = fill(flowControl, () => renewal('flooder')).length;
      expect(flowControl.admit(renewal('holder')).state).toBe('executing');
      expect(flooder).toBe((100 + 140) * 0.75);
    });

    test('are free when the response has been handed to the connection and all work has ended, whichever is later', () => {
      const flowControl = limits();
      const inUse = () => levelOf(flowControl, 'leader-election').seatsInUse;
      const reset = flowControl.admit(renewal('a'));
      reset.handle();
      reset.close();
      expect(inUse()).toBe(1);
      reset.handled();
      expect(inUse()).toBe(0);
      const slow = flowControl.admit(renewal('a'));
      slow.handle();
      slow.handled();
      expect(inUse()).toBe(1);
      slow.close();
      slow.close();
      expect(inUse()).toBe(0);
    });

    test('of a watch are free once it is initialised', () => {
      const flowControl = limits();
      const watch = flowControl.admit(list('a', '?watch=true'));
      watch.handle();
      expect(levelOf(flowControl, 'global-default').seatsInUse).toBe(1);
      watch.handled();
      expect(levelOf(flowControl, 'global-default').seatsInUse).toBe(0);
      watch.close();
      expect(levelOf(flowControl, 'global-default').executing).toBe(0);
    });
  });

  describe('wide requests', () => {
    const sizes: ResourceSizes = () => ({ objects: 5000, bytes: 2_000_000 });

    test('a long list takes up to 15 percent of its level', () => {
      const flowControl = limits(335, sizes);
      const seats = (query: string) => flowControl.admit(list('a', query)).seats;
      expect([seats(''), seats('?limit=500'), seats('?limit=10'), seats('?fieldSelector=metadata.name%3Da')]).toEqual([3, 2, 1, 1]);
      expect([seats('?watch=1'), seats('?watch=1&resourceVersion=7')]).toEqual([3, 1]);
    });

    test('do not borrow', () => {
      const flowControl = limits(335, sizes);
      expect(fill(flowControl, () => list('a')).length + fill(flowControl, () => list('b')).length).toBe(Math.floor(20 / 3));
      expect(flowControl.admit(list('c', '?limit=1')).state).toBe('executing');
    });

    test('cost their flow one turn for each seat', () => {
      const flowControl = limits(335, sizes);
      const executing = [...fill(flowControl, () => list('x')), ...fill(flowControl, () => list('y'))];
      executing.push(...fill(flowControl, () => list('z')));
      const decisions: string[] = [];
      for (let i = 0; i < 3; i++) note(flowControl.admit(list('wide')), `wide ${i}`, decisions);
      for (let i = 0; i < 4; i++) note(flowControl.admit(list('narrow', '?limit=1')), `narrow ${i}`, decisions);
      for (const ticket of executing) ticket.close();
      expect(decisions.slice(0, 5)).toEqual(['wide 0', 'narrow 0', 'narrow 1', 'narrow 2', 'wide 1']);
    });
  });

  describe('queues', () => {
    test('flows take turns, however many requests one of them has', () => {
      const flowControl = limits();
      const executing = [...fill(flowControl, () => list('flooder')), ...fill(flowControl, () => list('filler'))];
      const decisions: string[] = [];
      for (let i = 0; i < 100; i++) note(flowControl.admit(list('flooder')), `flooder ${i}`, decisions);
      note(flowControl.admit(list('quiet')), 'quiet', decisions);
      executing[0]?.close();
      executing.at(-1)?.close();
      expect(decisions).toContain('quiet');
      expect(decisions.length).toBeLessThanOrEqual(2);
    });

    test('requests of a flow whose queue is full are rejected after a delay', () => {
      const flowControl = limits();
      fill(flowControl, () => list('flooder'));
      const tickets = Array.from({ length: 1601 }, () => flowControl.admit(list('flooder')));
      expect(tickets.filter(({ state }) => state === 'waiting')).toHaveLength(1600);
      const decisions: string[] = [];
      note(tickets.at(-1) as Ticket, 'last', decisions);
      time += 499;
      flowControl.sweep();
      expect(decisions).toEqual([]);
      time += 1;
      flowControl.sweep();
      expect(decisions).toEqual(['last rejected, 1']);
    });

    test('rejections that are due together are sent over several turns of the event loop, 128 per turn', async () => {
      const flowControl = limits();
      fill(flowControl, () => list('flooder'));
      const decisions: string[] = [];
      for (let i = 0; i < 1000; i++) note(flowControl.admit(list('flooder')), 'waiting', decisions);
      time += 15_000;
      flowControl.sweep();
      expect(decisions).toHaveLength(REJECTIONS_PER_TURN);
      for (let sent = REJECTIONS_PER_TURN; sent < 1000; sent = decisions.length) {
        flowControl.sweep();
        expect(decisions.length).toBe(sent);
        await new Promise((resolve) => setImmediate(resolve));
        expect(decisions.length - sent).toBe(Math.min(REJECTIONS_PER_TURN, 1000 - sent));
      }
    });

    test('a due rejection whose client has gone is not sent', async () => {
      const flowControl = limits();
      fill(flowControl, () => list('flooder'));
      const decisions: string[] = [];
      const tickets = Array.from({ length: 300 }, () => flowControl.admit(list('flooder')));
      tickets.forEach((ticket, at) => note(ticket, String(at), decisions));
      time += 15_000;
      flowControl.sweep();
      for (const ticket of tickets.slice(200)) ticket.close();
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(decisions).toHaveLength(200);
      expect(levelOf(flowControl, 'global-default').waiting).toBe(0);
    });

    test('no request waits longer than a quarter of its time limit', () => {
      const flowControl = limits();
      fill(flowControl, () => list('flooder'));
      const decisions: string[] = [];
      note(flowControl.admit(requestOf('flooder', LEASES, { limitMs: 4000 })), 'impatient', decisions);
      note(flowControl.admit(list('flooder')), 'patient', decisions);
      time += 1000;
      flowControl.sweep();
      expect(decisions).toEqual(['impatient rejected, 1']);
      time += 14_000;
      flowControl.sweep();
      expect(decisions).toEqual(['impatient rejected, 1', 'patient rejected, 1']);
      expect(levelOf(flowControl, 'global-default').waiting).toBe(0);
    });

    test('a waiting request whose client has gone leaves its queue', () => {
      const flowControl = limits();
      const executing = fill(flowControl, () => list('flooder'));
      const gone = flowControl.admit(list('flooder'));
      const decisions: string[] = [];
      note(gone, 'gone', decisions);
      note(flowControl.admit(list('flooder')), 'next', decisions);
      gone.close();
      executing[0]?.close();
      expect(decisions).toEqual(['next']);
    });
  });

  test('nothing is left after everything has ended', () => {
    const flowControl = limits(40, () => ({ objects: 1000, bytes: 1_000_000 }));
    const tickets = Array.from({ length: 2000 }, (_, i) => {
      const ticket = flowControl.admit(i % 3 === 0 ? renewal(`user-${i % 7}`) : list(`user-${i % 5}`));
      ticket.decided = () => undefined;
      return ticket;
    });
    for (const ticket of tickets) ticket.close();
    time += 60_000;
    flowControl.sweep();
    for (const ticket of tickets) ticket.close();
    for (const { seatsInUse, executing, waiting } of flowControl.statistics()) expect([seatsInUse, executing, waiting]).toEqual([0, 0, 0]);
  });
}

const COORDINATION = '/apis/coordination.k8s.io/v1';
const LEASE = `${COORDINATION}/namespaces/kube-system/leases/a`;

function schemaOf(name: string, groups: readonly string[], method: string, target: string): string | undefined {
  const url = parseRequestUrl(target) ?? ROOT_URL;
  const info = parseRequestInfo(method, url, () => parseQuery(url.rawQuery));
  return FLOW_SCHEMAS.find((schema) => schema.matches({ name, uid: '', groups, extra: {} }, info))?.name;
}

const known = (...groups: string[]) => [...groups, ALL_AUTHENTICATED];
const ACCOUNT = known('system:serviceaccounts');

test.each<[string, readonly string[], string, string, string]>([
  ['admin', known('system:masters'), 'PUT', LEASE, 'exempt'],
  ['alice', known(), 'GET', '/livez', 'probes'],
  ['system:anonymous', [ALL_UNAUTHENTICATED], 'GET', '/readyz/ping', 'probes'],
  ['alice', known(), 'GET', '/readyzz', 'global-default'],
  ['alice', known(), 'POST', '/livez', 'global-default'],
  ['system:kube-scheduler', known(), 'PUT', LEASE, 'system-leader-election'],
  ['system:serviceaccount:kube-system:x', ACCOUNT, 'GET', LEASE, 'system-leader-election'],
  ['system:serviceaccount:kube-system:x', ACCOUNT, 'DELETE', LEASE, 'kube-system-service-accounts'],
  ['system:serviceaccount:kube-systems:x', ACCOUNT, 'DELETE', LEASE, 'service-accounts'],
  ['system:node:a', known('system:nodes'), 'DELETE', LEASE, 'system-node-high'],
  ['system:node:a', known('system:nodes'), 'GET', `${COORDINATION}/leases`, 'system-nodes'],
  ['system:node:a', known('system:nodes'), 'PATCH', '/api/v1/nodes/a/status', 'system-node-high'],
  ['system:kube-controller-manager', known(), 'GET', `${COORDINATION}/leases?watch=1`, 'kube-controller-manager'],
  ['system:kube-scheduler', known(), 'GET', '/version', 'kube-scheduler'],
  ['alice', known(), 'PATCH', LEASE, 'lease-holders'],
  ['alice', known(), 'POST', `${COORDINATION}/namespaces/a/leasecandidates`, 'lease-holders'],
  ['alice', known(), 'GET', `${COORDINATION}/namespaces/a/leases`, 'global-default'],
  ['alice', known(), 'DELETE', LEASE, 'global-default'],
  ['system:anonymous', [ALL_UNAUTHENTICATED], 'PUT', LEASE, 'global-default'],
  ['system:serviceaccount:a:b', ACCOUNT, 'GET', `${COORDINATION}/leases`, 'service-accounts'],
  ['impersonated', [], 'GET', '/version', 'catch-all'],
])('%s of %j: %s %s matches schema %s', (name, groups, method, target, schema) => {
  expect(schemaOf(name, groups, method, target)).toBe(schema);
});

test('a late event loop reduces seats quickly, and a punctual one restores them slowly', () => {
  const pressure = new LoopPressure(100);
  let now = 0;
  const tick = (ms: number) => {
    now += ms;
    pressure.tick(now);
    return pressure.share;
  };
  expect([tick(5000), tick(100), tick(120)]).toEqual([1, 1, 1]);
  expect(tick(200)).toBeCloseTo(0.6);
  for (let i = 0; i < 20; i++) tick(500);
  expect(pressure.share).toBe(0.2);
  expect(tick(100)).toBeCloseTo(0.25);
  for (let i = 0; i < 20; i++) tick(100);
  expect(pressure.share).toBe(1);
});
