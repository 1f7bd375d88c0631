import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { forAllTests } from '../support/for-tests.js';
import { startServerProcess } from '../support/server-process.js';
import { Kubectl } from './kubectl-program.js';
import { describeWithKubectls, KUBECTL } from './toolchain.js';

describeWithKubectls([KUBECTL], 'kubectl', (program) => {
  const lease = (name: string, holderIdentity: string, metadata: object = {}) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...metadata },
    spec: { holderIdentity, leaseDurationSeconds: 15 },
  });
  const create = (document: unknown) => kubectl.feed(document, 'create', '-f', '-');
  const field = (name: string, jsonpath: string) => kubectl.ok('get', 'lease', name, '-o', `jsonpath={${jsonpath}}`);
  const holder = (name: string) => field(name, '.spec.holderIdentity');

  const server = forAllTests(() => startServerProcess());
  const kubectl = forAllTests(() => Kubectl.of(server.dataDir, program));

  test('creates, gets and lists leases in every output format', async () => {
    expect(await create(lease('printed', 'me', { labels: { app: 'print' } }))).toBe('lease.coordination.k8s.io/printed created\n');
    expect(await kubectl.ok('get', 'leases', '-l', 'app=print')).toMatch(/^NAME\s+HOLDER\s+AGE\nprinted\s+me\s+\d+s\n$/);
    expect(await kubectl.ok('get', 'lease', 'printed', '-o', 'wide')).toMatch(/^NAME\s+HOLDER\s+AGE\nprinted\s+me\s+\d+s\n$/);
    expect(await field('printed', '.spec.leaseDurationSeconds')).toBe('15');
    expect(await kubectl.ok('get', 'leases', '-A', '-l', 'app=print', '-o', 'name')).toBe('lease.coordination.k8s.io/printed\n');
    const columns = 'custom-columns=LEASE:.metadata.name,HOLDER:.spec.holderIdentity';
    expect(await kubectl.ok('get', 'leases', '-l', 'app=print', '-o', columns)).toMatch(/^LEASE\s+HOLDER\nprinted\s+me\n$/);
    const { items } = JSON.parse(await kubectl.ok('get', 'leases', '-l', 'app=print', '-o', 'json')) as { items: unknown[] };
    expect(items).toEqual([expect.objectContaining({ spec: { holderIdentity: 'me', leaseDurationSeconds: 15 } })]);
    expect(await kubectl.ok('get', 'lease', 'printed', '-o', 'yaml')).toContain(
      '\nspec:\n  holderIdentity: me\n  leaseDurationSeconds: 15\n',
    );
    expect(await kubectl.ok('get', 'namespaces')).toMatch(/^NAME\s+STATUS\s+AGE\ndefault\s+Active\s/);
  });

  test('refuses manifests that fail validation', async () => {
    const wrong = { ...lease('wrong', 'me'), spec: { holderIdentitty: 'me' } };
    const refused = await kubectl.run(['create', '-f', '-'], { input: JSON.stringify(wrong) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/unknown field "(spec\.)?holderIdentitty"/);
    expect((await kubectl.run(['get', 'lease', 'wrong'])).stderr).toContain('leases.coordination.k8s.io "wrong" not found');
  });

  test('reports a kind or version that is not served as it does with kube-apiserver', async () => {
    const unknown = async (apiVersion: string, kind: string) => {
      const manifest = JSON.stringify({ apiVersion, kind, metadata: { name: 'x' } });
      const answers = await Promise.all(['create', 'apply', 'replace'].map((verb) => kubectl.run([verb, '-f', '-'], { input: manifest })));
      return [...new Set(answers.map(({ stderr }) => stderr))];
    };
    const said = (kind: string, version: string) => [
      `error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "${kind}" in version "${version}"\n` +
        'ensure CRDs are installed first\n',
    ];
    expect(await unknown('apps/v1', 'Deployment')).toEqual(said('Deployment', 'apps/v1'));
    expect(await unknown('coordination.k8s.io/v9', 'Lease')).toEqual(said('Lease', 'coordination.k8s.io/v9'));
    expect(await unknown('v1', 'ConfigMap')).toEqual(said('ConfigMap', 'v1'));
  });

  test('describes leases and namespaces', async () => {
    await create(lease('described', 'someone'));
    const text = await kubectl.ok('describe', 'lease', 'described');
    expect(text).toMatch(/^Name: +described\nNamespace: +default\n/);
    expect(text).toMatch(/Holder Identity: +someone\n/);
    expect(await kubectl.ok('describe', 'namespace', 'default')).toMatch(/^Name: +default\n[^]*Status: +Active\n/);
  });

  test('applies manifests on the client side', async () => {
    const apply = (document: unknown) => kubectl.feed(document, 'apply', '-f', '-');
    expect(await apply(lease('applied', 'a', { labels: { kept: 'yes', dropped: 'soon' } }))).toContain('/applied created');
    expect(await apply(lease('applied', 'a', { labels: { kept: 'yes', dropped: 'soon' } }))).toContain('/applied unchanged');
    expect(await apply(lease('applied', 'b', { labels: { kept: 'yes' } }))).toContain('/applied configured');
    expect(await holder('applied')).toBe('b');
    expect(JSON.parse(await field('applied', '.metadata.labels'))).toEqual({ kept: 'yes' });
  });

  test('prunes leases as the documentation says', async () => {
    const page = await readFile(path.resolve(import.meta.dirname, '../../docs/troubleshooting.md'), 'utf8');
    const allowlist = /--prune-allowlist=[^`\s]+/.exec(page)?.[0] ?? 'the page has none';
    for (const name of ['pruned', 'stays']) await kubectl.feed(lease(name, 'a', { labels: { app: 'pruning' } }), 'apply', '-f', '-');
    const prune = ['apply', '--prune', '-l', 'app=pruning', '-f', '-'];
    const manifest = lease('stays', 'a', { labels: { app: 'pruning' } });
    expect(await kubectl.run(prune, { input: JSON.stringify(manifest) })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ConfigMap'),
    });
    expect(await kubectl.feed(manifest, ...prune, allowlist)).toContain('lease.coordination.k8s.io/pruned pruned');
  });

  test('applies manifests on the server side, with conflicts and by force', async () => {
    const apply = ['apply', '--server-side', '-f', '-'];
    expect(await kubectl.feed(lease('owned', 'a'), ...apply)).toBe('lease.coordination.k8s.io/owned serverside-applied\n');
    const conflict = await kubectl.run([...apply, '--field-manager=other'], { input: JSON.stringify(lease('owned', 'b')) });
    expect(conflict.code).toBe(1);
    expect(conflict.stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl": .spec.holderIdentity');
    expect(await holder('owned')).toBe('a');
    await kubectl.feed(lease('owned', 'b'), ...apply, '--field-manager=other', '--force-conflicts');
    expect(await holder('owned')).toBe('b');
  });

  test('shows the diff of an apply', async () => {
    const diff = (document: unknown, ...flags: string[]) => kubectl.run(['diff', '-f', '-', ...flags], { input: JSON.stringify(document) });
    await kubectl.feed(lease('compared', 'a'), 'apply', '-f', '-');
    expect(await diff(lease('compared', 'a'))).toEqual({ code: 0, stdout: '', stderr: '' });
    const changed = await diff(lease('compared', 'b'));
    expect(changed).toMatchObject({ code: 1, stdout: expect.stringContaining('\n+  holderIdentity: b\n') as unknown as string });
    expect(changed.stderr).toMatch(/^(exit status 1\n)?$/);
    expect((await diff(lease('compared', 'b'), '--server-side', '--force-conflicts')).stdout).toContain('\n+  holderIdentity: b\n');
    expect(await holder('compared')).toBe('a');
  });

  test('patches in all three ways', async () => {
    await create(lease('patched', 'a'));
    const patch = (type: string, body: unknown) => kubectl.ok('patch', 'lease', 'patched', `--type=${type}`, '-p', JSON.stringify(body));
    expect(await patch('strategic', { spec: { holderIdentity: 'strategic' } })).toBe('lease.coordination.k8s.io/patched patched\n');
    expect(await holder('patched')).toBe('strategic');
    await patch('merge', { spec: { holderIdentity: 'merge', leaseDurationSeconds: null } });
    expect(await field('patched', '.spec')).toBe('{"holderIdentity":"merge"}');
    await patch('json', [{ op: 'replace', path: '/spec/holderIdentity', value: 'json' }]);
    expect(await holder('patched')).toBe('json');
    expect(await patch('json', [{ op: 'test', path: '/spec/holderIdentity', value: 'json' }])).toContain('patched (no change)');
  });

  test('edits, labels, annotates and replaces', async () => {
    await create(lease('edited', 'before'));
    const editor = path.join(server.dataDir, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/before/after/" "$1"\n', { mode: 0o700 });
    const edited = await kubectl.run(['edit', 'lease', 'edited'], { env: { KUBE_EDITOR: editor } });
    expect(edited).toEqual({ code: 0, stdout: 'lease.coordination.k8s.io/edited edited\n', stderr: '' });
    expect(await holder('edited')).toBe('after');
    expect(await kubectl.ok('label', 'lease', 'edited', 'tier=one')).toContain('labeled');
    expect(await kubectl.ok('annotate', 'lease', 'edited', 'note=two')).toContain('annotated');
    expect(await field('edited', '.metadata.labels.tier')).toBe('one');
    expect(await kubectl.ok('label', 'lease', 'edited', 'tier-')).toMatch(/labeled/);
    expect(await field('edited', '.metadata.labels.tier')).toBe('');
    expect(await kubectl.feed(lease('edited', 'replaced'), 'replace', '-f', '-')).toContain('edited replaced');
    expect(await field('edited', '.metadata.annotations')).toBe('');
  });

  test('explains leases and lists what the server serves', async () => {
    const explained = await kubectl.ok('explain', 'lease.spec');
    for (const name of ['acquireTime', 'holderIdentity', 'leaseDurationSeconds', 'leaseTransitions', 'renewTime']) {
      expect(explained).toMatch(new RegExp(`^ +${name}\\s+<(string|integer)>$`, 'm'));
    }
    expect(await kubectl.ok('explain', 'lease', '--recursive')).toContain('ownerReferences');
    const resources = await kubectl.ok('api-resources');
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace$/m);
    expect(resources).toMatch(/^leases +coordination\.k8s\.io\/v1 +true +Lease$/m);
    expect((await kubectl.ok('api-versions')).split('\n')).toEqual(expect.arrayContaining(['coordination.k8s.io/v1', 'v1']));
    expect(await kubectl.ok('get', '--raw', '/readyz')).toBe('ok');
  });

  test('watches leases appear and disappear', async () => {
    const watch = kubectl.start('get', 'leases', '-w', '--output-watch-events', '--field-selector', 'metadata.name=watched');
    try {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await create(lease('watched', 'a'));
      await watch.line(/^ADDED\s+watched\s+a\s/);
      await kubectl.ok('patch', 'lease', 'watched', '-p', '{"spec":{"holderIdentity":"b"}}');
      await watch.line(/^MODIFIED\s+watched\s+b\s/);
      await kubectl.ok('delete', 'lease', 'watched');
      await watch.line(/^DELETED\s+watched\s+b\s/);
    } finally {
      await watch.kill();
    }
  });

  test('waits for a field and for a deletion', async () => {
    await create(lease('awaited', 'a'));
    const gone = kubectl.ok('wait', 'lease/awaited', '--for=delete', '--timeout=30s');
    if (!/--for='?jsonpath/.test((await kubectl.run(['wait', '--help'])).stdout)) {
      console.info('this kubectl cannot wait for a field');
    } else {
      const changed = kubectl.ok('wait', 'lease/awaited', '--for=jsonpath={.spec.holderIdentity}=b', '--timeout=30s');
      await kubectl.ok('patch', 'lease', 'awaited', '-p', '{"spec":{"holderIdentity":"b"}}');
      expect(await changed).toContain('awaited condition met');
    }
    await kubectl.ok('delete', 'lease', 'awaited');
    await gone;
  });

  test('deletes leases one by one, all of them, and with their namespace', async () => {
    await kubectl.ok('create', 'namespace', 'gone');
    const inside = ['--namespace=gone'];
    for (const name of ['one', 'two', 'three']) await create(lease(name, 'a', { namespace: 'gone' }));
    expect(await kubectl.ok('delete', 'lease', 'one', ...inside)).toContain('"one" deleted');
    expect((await kubectl.run(['get', 'lease', 'one', ...inside])).stderr).toBe(
      'Error from server (NotFound): leases.coordination.k8s.io "one" not found\n',
    );
    await kubectl.ok('delete', 'leases', '--all', ...inside);
    expect(await kubectl.ok('get', 'leases', '-o', 'name', ...inside)).toBe('');
    await create(lease('last', 'a', { namespace: 'gone' }));
    await kubectl.ok('delete', 'namespace', 'gone');
    expect(await kubectl.ok('get', 'namespaces', '-o', 'name')).not.toContain('gone');
  });

  test('completes a deletion with --cascade=foreground', async () => {
    await create(lease('cascade', 'a'));
    await kubectl.ok('delete', 'lease', 'cascade', '--cascade=foreground', '--timeout=30s');
    expect((await kubectl.run(['get', 'lease', 'cascade'])).stderr).toContain('not found');
  });
});
