import { describe, expect, it } from '@jest/globals';
import { leaseTarget, LIST, namespaceTarget, refusal, RegistryFixture } from '../../../test/support/registry-fixture.js';
import type { ListOptions } from '../../apimachinery/options/list-options.js';
import { encodeContinueToken } from '../../storage/continue-token.js';
import type { ListPage } from '../resource/resource-store.js';

const names = (page: ListPage) => page.objects.map(({ key }) => `${key.namespace}/${key.name}`);

/** ns/a..e, x/a and x/b; label k is 1 for a, c and e. */
async function fixture() {
  const registry = await new RegistryFixture().withNamespace();
  await registry.withNamespace('x');
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    await registry.createLease({ metadata: { name, labels: { k: 'ace'.includes(name) ? '1' : '2' } } });
  }
  for (const name of ['a', 'b']) await registry.createLease({ metadata: { name } }, undefined, 'x');
  const list = (options: Partial<ListOptions> = {}, namespace = 'ns') =>
    registry.leases.list(leaseTarget('', namespace), { ...LIST, ...options });
  return { registry, list };
}

describe('a list', () => {
  it('contains the objects of one namespace or of all, in key order', async () => {
    const { list } = await fixture();
    expect(names(await list())).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(names(await list({}, ''))).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e', 'x/a', 'x/b']);
    expect(names(await list({}, 'none'))).toEqual([]);
  });

  it.each<[string, Partial<ListOptions>, string, string[]]>([
    ['labels', { labelSelector: 'k=1' }, 'ns', ['ns/a', 'ns/c', 'ns/e']],
    ['missing labels', { labelSelector: '!k' }, '', ['x/a', 'x/b']],
    ['a name', { fieldSelector: 'metadata.name=b' }, 'ns', ['ns/b']],
    ['a missing name', { fieldSelector: 'metadata.name=zz' }, 'ns', []],
    ['the empty name', { fieldSelector: 'metadata.name=' }, 'ns', []],
    ['a name in all namespaces', { fieldSelector: 'metadata.name=b' }, '', ['ns/b', 'x/b']],
    ['other names', { fieldSelector: 'metadata.name!=b,metadata.name!=c' }, 'ns', ['ns/a', 'ns/d', 'ns/e']],
    ['a namespace', { fieldSelector: 'metadata.namespace=x' }, '', ['x/a', 'x/b']],
    ['a namespace other than its own', { fieldSelector: 'metadata.namespace=x' }, 'ns', []],
    ['a namespace and a name', { fieldSelector: 'metadata.namespace=x,metadata.name=b' }, '', ['x/b']],
    ['labels and fields', { labelSelector: 'k=1', fieldSelector: 'metadata.name!=a' }, 'ns', ['ns/c', 'ns/e']],
    ['nothing', { labelSelector: 'k=1', fieldSelector: 'metadata.name=b' }, 'ns', []],
  ])('selects by %s', async (_what, options, namespace, expected) => {
    const { list } = await fixture();
    expect(names(await list(options, namespace))).toEqual(expected);
  });

  it('accepts only the selectable fields of the resource', async () => {
    const { registry, list } = await fixture();
    expect(await refusal(list({ fieldSelector: 'spec.holderIdentity=x' }))).toMatchObject({
      code: 400,
      message: '"spec.holderIdentity" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
    expect((await refusal(list({ fieldSelector: 'a\\b=x' }))).message).toMatch(/^"a\\\\b" is not a known field selector/);
    const active = await registry.namespaces.list(namespaceTarget(''), { ...LIST, fieldSelector: 'status.phase=Active,metadata.name!=x' });
    expect(active.objects.map(({ key }) => key.name)).toEqual(['ns']);
    const work = registry.namespaces.list(namespaceTarget(''), { ...LIST, fieldSelector: 'spec.x=1' });
    expect((await refusal(work)).message).toBe('field label not supported: spec.x');
  });

  it('of one name accepts only this name in the field selector', async () => {
    const { registry } = await fixture();
    const list = (fieldSelector: string) => registry.leases.list(leaseTarget('a'), { ...LIST, fieldSelector });
    expect(names(await list(''))).toEqual(['ns/a']);
    expect(names(await list('metadata.name=a'))).toEqual(['ns/a']);
    for (const selector of ['metadata.name=b', 'metadata.name!=b', 'metadata.namespace=ns']) {
      expect((await refusal(list(selector))).message).toBe("fieldSelector metadata.name doesn't match requested name");
    }
  });
});

describe('pages', () => {
  it('count the remaining objects and continue in the state of the first page', async () => {
    const { registry, list } = await fixture();
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({ remainingItemCount: 3 });
    await registry.createLease({ metadata: { name: 'bb' } });
    await registry.deleteLease('c');
    const second = await list({ limit: 2, continue: first.continue });
    expect(names(second)).toEqual(['ns/c', 'ns/d']);
    expect(second).toMatchObject({ remainingItemCount: 1, resourceVersion: first.resourceVersion });
    const last = await list({ continue: second.continue, resourceVersion: '0' });
    expect(names(last)).toEqual(['ns/e']);
    expect(last.continue).toBeUndefined();
    expect(last.remainingItemCount).toBeUndefined();
    expect(names(await list())).toEqual(['ns/a', 'ns/b', 'ns/bb', 'ns/d', 'ns/e']);
  });

  it('continue across namespaces', async () => {
    const { list } = await fixture();
    const first = await list({ limit: 5 }, '');
    expect(names(await list({ limit: 5, continue: first.continue }, ''))).toEqual(['x/a', 'x/b']);
  });

  it('with a selector do not count the remaining objects, and the last page may be empty', async () => {
    const { list } = await fixture();
    const first = await list({ labelSelector: 'k=2', limit: 2 });
    expect(names(first)).toEqual(['ns/b', 'ns/d']);
    expect(first.remainingItemCount).toBeUndefined();
    const last = await list({ labelSelector: 'k=2', limit: 2, continue: first.continue });
    expect(names(last)).toEqual([]);
    expect(last.continue).toBeUndefined();
  });

  it('of one name contain it only if the token is before it', async () => {
    const { list } = await fixture();
    const token = (await list({ limit: 3 })).continue ?? '';
    expect(names(await list({ fieldSelector: 'metadata.name=d', continue: token }))).toEqual(['ns/d']);
    expect(names(await list({ fieldSelector: 'metadata.name=a', continue: token }))).toEqual([]);
  });

  it('of a token with a negative version show the newest state', async () => {
    const { registry, list } = await fixture();
    await registry.createLease({ metadata: { name: 'bb' } });
    const page = await list({ continue: encodeContinueToken({ revision: -1, start: 'b\0' }), limit: 2 });
    expect(names(page)).toEqual(['ns/bb', 'ns/c']);
    expect(page.continue).toBe(encodeContinueToken({ revision: Number(page.resourceVersion), start: 'c\0' }));
  });

  it('whose state is compacted can continue without consistency', async () => {
    const { registry, list } = await fixture();
    const token = (await list({ limit: 2 })).continue ?? '';
    await registry.deleteLease('c');
    registry.memory.compact(Number.MAX_SAFE_INTEGER);
    const status = await refusal(list({ limit: 2, continue: token }));
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    expect(status.message).toMatch(/^The provided continue parameter is too old to display a consistent list result\. You can start/);
    expect(names(await list({ continue: status.metadata.continue }))).toEqual(['ns/d', 'ns/e']);
  });

  it('refuse invalid tokens, and tokens combined with a version', async () => {
    const { list } = await fixture();
    const token = (await list({ limit: 2 })).continue ?? '';
    expect((await refusal(list({ continue: '!!' }))).message).toContain('invalid continue token: continue key is not valid');
    for (const resourceVersion of ['7', 'abc']) {
      expect((await refusal(list({ continue: token, resourceVersion }))).message).toBe(
        'specifying resource version is not allowed when using continue',
      );
    }
  });
});

describe('the version of a list', () => {
  async function versions() {
    const { registry, list } = await fixture();
    const before = (await list()).resourceVersion;
    await registry.deleteLease('a');
    return { registry, list, before };
  }

  it('is the newest if none is requested', async () => {
    const { registry, list } = await versions();
    const page = await list();
    expect(names(page)).toEqual(['ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(page.resourceVersion).toBe(String(await registry.objects.currentRevision()));
  });

  it('may be any for 0, and the list is then not paged', async () => {
    const { list } = await versions();
    const page = await list({ resourceVersion: '0', limit: 2 });
    expect(names(page)).toEqual(['ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(page.continue).toBeUndefined();
  });

  it('is a minimum, or exact with Exact or a limit', async () => {
    const { list, before } = await versions();
    expect(names(await list({ resourceVersion: before }))).toEqual(['ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(names(await list({ resourceVersion: before, resourceVersionMatch: 'NotOlderThan', limit: 2 }))).toEqual(['ns/b', 'ns/c']);
    const exact = await list({ resourceVersion: before, resourceVersionMatch: 'Exact' });
    expect(names(exact)).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(exact.resourceVersion).toBe(before);
    expect(names(await list({ resourceVersion: before, limit: 2 }))).toEqual(['ns/a', 'ns/b']);
    expect(names(await list({ resourceVersion: before, limit: 2, fieldSelector: 'metadata.name=a' }))).toEqual([]);
  });

  it('is refused if it is malformed, compacted or in the future', async () => {
    const { registry, list, before } = await versions();
    expect(await refusal(list({ resourceVersion: 'abc' }))).toMatchObject({
      code: 400,
      message: 'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
    const future = '999999999999';
    const now = await registry.objects.currentRevision();
    const tooLarge = { code: 504, reason: 'Timeout', message: `Timeout: Too large resource version: ${future}, current: ${now}` };
    const exact = await refusal(list({ resourceVersion: future, resourceVersionMatch: 'Exact' }));
    expect(exact).toMatchObject({ ...tooLarge, details: { retryAfterSeconds: 1 } });
    const waiting = refusal(list({ resourceVersion: future }));
    await registry.scheduler.pass(3000);
    expect(await waiting).toMatchObject({ ...tooLarge, details: { retryAfterSeconds: 1 } });
    registry.memory.compact(now);
    expect(await refusal(list({ resourceVersion: before, resourceVersionMatch: 'Exact' }))).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });
});

describe('shards', () => {
  const all = "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')";
  const half = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";
  const other = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')";

  it('divide the objects among them', async () => {
    const { list } = await fixture();
    const [one, two] = [await list({ shardSelector: half }), await list({ shardSelector: other })];
    expect([...names(one), ...names(two)].sort()).toEqual(['ns/a', 'ns/b', 'ns/c', 'ns/d', 'ns/e']);
    expect(one.shardSelector).toBe(half);
    expect(
      names(await list({ shardSelector: "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')" })),
    ).toHaveLength(5);
  });

  it('have pages without a count of remaining objects', async () => {
    const { list } = await fixture();
    const page = await list({ shardSelector: all, limit: 2 });
    expect(page).toMatchObject({ continue: expect.any(String), shardSelector: all });
    expect(page.remainingItemCount).toBeUndefined();
  });

  it('are validated before versions and tokens', async () => {
    const { list } = await fixture();
    const status = await refusal(list({ shardSelector: 'x', resourceVersion: 'abc' }));
    expect(status.code).toBe(400);
    expect(status.message).toMatch(/^invalid shard selector: /);
  });
});

describe('getting an object', () => {
  it('treats a version as a minimum', async () => {
    const { registry } = await fixture();
    const get = (name: string, resourceVersion: string) => registry.leases.get(leaseTarget(name), { resourceVersion });
    const now = await registry.objects.currentRevision();
    for (const version of ['', '0', '1', String(now)]) expect((await get('a', version)).key.name).toBe('a');
    expect(await refusal(get('zz', '0'))).toMatchObject({ code: 404, message: 'leases.coordination.k8s.io "zz" not found' });
    expect(await refusal(get('a', '-1'))).toMatchObject({
      code: 400,
      message: 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
    });
    const waiting = refusal(get('a', String(now + 1)));
    await registry.scheduler.pass(3000);
    expect(await waiting).toMatchObject({ code: 504 });
  });
});
