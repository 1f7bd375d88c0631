import { describe, expect, it } from '@jest/globals';
import { leaseTarget, LIST, refusal, RegistryFixture } from '../../../test/support/registry-fixture.js';
import { settle } from '../../../test/support/manual-scheduler.js';
import { WatchRecorder } from '../../../test/support/watch-recorder.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';

async function fixture() {
  const registry = await new RegistryFixture().withNamespace();
  await registry.createLease({ metadata: { name: 'b', labels: { k: '1' } } });
  await registry.createLease({ metadata: { name: 'a' } });
  const version = String(await registry.objects.currentRevision());
  const watch = async (options: Partial<ListOptions> = {}) => {
    const recorder = new WatchRecorder();
    await registry.leases.watch(leaseTarget(''), { ...LIST, watch: true, ...options }, recorder.receive);
    await settle();
    return recorder;
  };
  return { registry, version, watch };
}
const events = (recorder: WatchRecorder) => recorder.events.map(({ type, object }) => `${type} ${object.key.name}`);
const ends = (recorder: WatchRecorder) => recorder.bookmarks.filter(({ initialEventsEnd }) => initialEventsEnd).length;

describe('a watch', () => {
  it.each<[Partial<ListOptions>, string[], number]>([
    [{}, ['ADDED a', 'ADDED b'], 0],
    [{ resourceVersion: '0' }, ['ADDED a', 'ADDED b'], 0],
    [{ sendInitialEvents: true }, ['ADDED a', 'ADDED b'], 0],
    [{ sendInitialEvents: true, allowWatchBookmarks: true }, ['ADDED a', 'ADDED b'], 1],
    [{ resourceVersion: '0', sendInitialEvents: true, allowWatchBookmarks: true }, ['ADDED a', 'ADDED b'], 1],
    [{ resourceVersion: '5', sendInitialEvents: true, allowWatchBookmarks: true }, ['ADDED a', 'ADDED b'], 1],
    [{ allowWatchBookmarks: true }, ['ADDED a', 'ADDED b'], 0],
    [{ sendInitialEvents: false, allowWatchBookmarks: true }, [], 0],
    [{ resourceVersion: '0', sendInitialEvents: false }, [], 0],
    [{ sendInitialEvents: true, allowWatchBookmarks: true, labelSelector: 'k' }, ['ADDED b'], 1],
  ])('with %j starts with the matching objects', async (options, expected, bookmarks) => {
    const { registry, watch } = await fixture();
    const recorder = await watch(options);
    expect(events(recorder)).toEqual(expected);
    expect(ends(recorder)).toBe(bookmarks);
    await registry.createLease({ metadata: { name: 'c', labels: { k: '1' } } });
    await recorder.untilEvent('ADDED', 'c');
  });

  it('from a version continues with the changes after it', async () => {
    const { registry, version, watch } = await fixture();
    await registry.deleteLease('a');
    expect(events(await watch({ resourceVersion: version }))).toEqual(['DELETED a']);
    expect(events(await watch({ resourceVersion: version, sendInitialEvents: false }))).toEqual(['DELETED a']);
    expect(events(await watch({ resourceVersion: version, fieldSelector: 'metadata.name=b' }))).toEqual([]);
  });

  it('reports objects that start and stop matching', async () => {
    const { registry, watch } = await fixture();
    const recorder = await watch({ labelSelector: 'k=1', sendInitialEvents: false });
    const { metadata } = await registry.getLease('b');
    const { resourceVersion } = metadata;
    const left = await registry.putLease('b', { metadata: { name: 'b', resourceVersion, labels: { k: '2' } } });
    await registry.putLease('b', { metadata: { name: 'b', resourceVersion: String(left.revision), labels: { k: '1' } } });
    await recorder.untilEvents(2);
    expect(events(recorder)).toEqual(['DELETED b', 'ADDED b']);
    expect(recorder.events[0]).toMatchObject({ revision: left.revision, object: { revision: left.revision } });
  });

  it('from a compacted version ends with 410', async () => {
    const { registry, watch } = await fixture();
    registry.memory.compact(Number.MAX_SAFE_INTEGER);
    const { error } = await watch({ resourceVersion: '7' });
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(/^too old resource version: 7 \(\d+\)$/),
    });
  });

  it('from a future version ends with 504', async () => {
    const { registry, watch } = await fixture();
    const waiting = watch({ resourceVersion: '99999999', sendInitialEvents: true });
    await registry.scheduler.pass(3000);
    expect(((await waiting).error as ApiError).status).toMatchObject({ code: 504, details: { retryAfterSeconds: 1 } });
  });

  it('validates selectors before versions', async () => {
    const { watch } = await fixture();
    const bad = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax';
    expect(await refusal(watch({ resourceVersion: 'abc' }))).toMatchObject({ code: 400, message: bad });
    expect((await refusal(watch({ resourceVersion: 'abc', fieldSelector: 'x=1' }))).message).toContain('is not a known field selector');
  });
});
