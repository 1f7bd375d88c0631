import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import { MetricRegistry } from '../../telemetry/metrics/metric-registry.js';
import type { ApiRequest } from '../request/api-request.js';
import { RefusedRequests } from './refused-requests.js';

const LEASES = { group: 'coordination.k8s.io', resource: 'leases' };
const HOUR_MS = 3_600_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Of what is kept, which is strings; twice, as the first collection may leave the rest of the work for later. */
function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

class Fixture {
  now = 1_000_000;
  readonly metrics = new MetricRegistry();
  readonly refused = new RefusedRequests(() => this.now, { main: this.metrics, slis: new MetricRegistry() });

  constructor(kept = LEASES) {
    this.refused.keep(kept, ({ message }) => message.split(' ')[0] ?? '');
  }

  refuse(name: string, { user = 'a', userAgent = 'test/1', message = 'no', verb = 'update', code = 403 } = {}): void {
    const info = {
      isResourceRequest: true,
      apiGroup: LEASES.group,
      apiVersion: 'v1',
      resource: 'leases',
      subresource: '',
      namespace: 'default',
    };
    const request = {
      info: { ...info, verb, name },
      isAuthenticated: true,
      user: { name: user },
      userAgent,
      nameInBody: '',
    } as unknown as ApiRequest;
    this.refused.add(request, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason: 'Forbidden', message } as Status);
  }

  names(): string[] {
    return [...this.refused.recent()].map(({ name }) => name);
  }

  async heldBytes(): Promise<number> {
    const own = await this.metrics.own();
    return Number(/bytes (\d+)/.exec(own.find(({ name }) => name.endsWith('held_bytes'))?.text ?? '')?.[1]);
  }
}

describe('RefusedRequests', () => {
  it('tells requests of different causes apart, whatever else they share', () => {
    const fixture = new Fixture();
    for (const message of ['time 1', 'type 1', 'time 2']) fixture.refuse('', { message });
    expect([...fixture.refused.recent()].map(({ cause, count }) => [cause, count])).toEqual([
      ['type', 1],
      ['time', 2],
    ]);
  });

  it('counts what fails for everybody together, however many ask', () => {
    const fixture = new Fixture();
    for (const user of ['a', 'b', 'c']) fixture.refuse(`of ${user}`, { user, userAgent: user, code: 503 });
    expect([...fixture.refused.recent()]).toMatchObject([{ name: '', user: '', userAgent: '', verb: 'update', code: 503, count: 3 }]);
  });

  it('counts requests that differ in their message alone as one, and keeps the latest', () => {
    const fixture = new Fixture();
    fixture.refuse('a', { message: 'at 1' });
    fixture.now += 5_000;
    fixture.refuse('a', { message: 'at 2' });
    expect([...fixture.refused.recent()]).toMatchObject([{ name: 'a', message: 'at 2', count: 2, first: 1_000_000, last: 1_005_000 }]);
  });

  it('forgets refusals older than an hour, and counts anew', () => {
    const fixture = new Fixture();
    fixture.refuse('a');
    fixture.now += HOUR_MS + 1;
    expect(fixture.names()).toEqual([]);
    fixture.refuse('a');
    expect([...fixture.refused.recent()]).toMatchObject([{ count: 1, first: fixture.now }]);
  });

  it('keeps a bounded number of bytes, whatever clients ask for', async () => {
    const fixture = new Fixture();
    for (let n = 0; n < 20_000; n++) {
      fixture.refuse(`${n}${'n'.repeat(300)}`, { user: `user-${n % 50}`, userAgent: 'u'.repeat(5_000), message: 'é'.repeat(9_000) });
    }
    expect(await fixture.heldBytes()).toBeLessThanOrEqual(2 ** 20);
    expect(await fixture.heldBytes()).toBeGreaterThan(2 ** 19);
  });

  it.each([
    [100_000, 'a', 'test/1', 'no'],
    [10_000, 'é'.repeat(3_000), 'ж'.repeat(3_000), '漢'.repeat(9_000)],
  ])('takes less than 4 MiB of the heap for %d different names', (names, user, userAgent, message) => {
    const fixture = new Fixture();
    const before = heapUsed();
    for (let n = 0; n < names; n++) fixture.refuse(`${n}${message}`, { user: `${n % 20}${user}`, userAgent, message });
    expect((heapUsed() - before) / 2 ** 20).toBeLessThan(4);
    expect(fixture.names().length).toBeGreaterThan(100);
  });

  it("makes way for a user's new refusals with the user's own oldest", () => {
    const fixture = new Fixture();
    fixture.refuse('of b', { user: 'b' });
    for (let n = 0; n < 5_000; n++) fixture.refuse(`n${n}`, { user: 'a' });
    expect(fixture.names()).toContain('of b');
    expect(fixture.names()).toContain('n4999');
    expect(fixture.names()).not.toContain('n0');
  });

  it('releases all bytes of forgotten refusals', async () => {
    const fixture = new Fixture();
    for (let n = 0; n < 1_000; n++) fixture.refuse('a', { message: `m ${'m'.repeat(n % 400)}` });
    const one = new Fixture();
    one.refuse('a', { message: `m ${'m'.repeat(999 % 400)}` });
    expect(await fixture.heldBytes()).toBe(await one.heldBytes());
  });

  it('ignores resources that are not to be kept', () => {
    const fixture = new Fixture({ group: '', resource: 'configmaps' });
    fixture.refuse('a');
    expect(fixture.names()).toEqual([]);
  });
});
