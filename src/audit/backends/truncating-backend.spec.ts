import type { AuditBackend } from './audit-backend.js';
import { type AuditEvent, encodeEvent } from '../event/audit-event.js';
import { TruncatingBackend } from './truncating-backend.js';

function event(change: Partial<AuditEvent>): AuditEvent {
  return {
    level: 'RequestResponse',
    auditID: 'id',
    stage: 'ResponseComplete',
    requestURI: '/',
    verb: 'get',
    user: {},
    requestReceivedTimestamp: 0,
    stageTimestamp: 0,
    ...change,
  };
}

const SMALL = encodeEvent(event({})).length + 1;

function setUp(maxEventBytes: number, maxBatchBytes: number) {
  const batches: (readonly AuditEvent[])[] = [];
  const lost: AuditEvent[] = [];
  const backend: AuditBackend = {
    process: (events) => batches.push(events) > 0,
    close: () => Promise.resolve(),
  };
  const failures = { failed: (_plugin: string, _reason: string, events: readonly AuditEvent[]) => void lost.push(...events) };
  return { truncating: new TruncatingBackend(backend, { maxEventBytes, maxBatchBytes }, failures), batches, lost };
}

describe('a truncating backend', () => {
  it('removes the objects from an event that is too large, and marks it', () => {
    const { truncating, batches } = setUp(SMALL + 100, 10_000);
    void truncating.process([event({ responseObject: JSON.stringify('x'.repeat(200)), annotations: { a: 'b' } })]);
    expect(batches).toEqual([[event({ annotations: { a: 'b', 'audit.k8s.io/truncated': 'true' } })]]);
  });

  it('drops an event that is still too large', () => {
    const { truncating, batches, lost } = setUp(SMALL + 10, 10_000);
    const large = event({ requestURI: '/so-long-that-it-does-not-fit-even-now' });
    void truncating.process([large, event({}), event({ ...large, level: 'Metadata' })]);
    expect(batches).toEqual([[event({})]]);
    expect(lost).toHaveLength(2);
  });

  it('splits batches', () => {
    const { truncating, batches } = setUp(SMALL, 2 * SMALL);
    void truncating.process([event({}), event({}), event({})]);
    expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
  });
});
