import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { runProgram } from '../clients/run-program.js';
import { describeWith, GO } from '../clients/toolchain.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { DATABASE, DeployPrograms } from './deploy-programs.js';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

interface Index {
  readonly manifests: readonly {
    readonly digest: string;
    readonly mediaType: string;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

describeWith([GO], 'npm run oci', () => {
  const home = scratchDirectory();
  let programs: DeployPrograms;
  beforeAll(async () => {
    programs = await DeployPrograms.build();
  }, 600_000);

  const oci = (...options: string[]) => runProgram(process.execPath, ['scripts/oci.mjs', '--only=chart', ...options], { cwd: root });

  test('Helm pulls the chart of the layout from a registry, and it names the image', async () => {
    const layout = path.join(home, 'layout');
    const { code, stdout } = await oci(`--output=${layout}`, '--repository=registry.example.org/leases');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/:chart-\S+ sha256:[0-9a-f]{64}\n {2}chart, \d+\.\d kB\n$/)]);
    const registry = await serve(layout);
    try {
      const chart = `oci://127.0.0.1:${registry.port}/charts/coordination-apiserver`;
      const pulled = await programs.run('helm', ['pull', chart, `--version=${version}`, '--plain-http', `--destination=${home}`]);
      expect(pulled).toMatchObject({ code: 0 });
    } finally {
      registry.close();
    }
    const file = path.join(home, `coordination-apiserver-${version}.tgz`);
    const rendered = await programs.run('helm', ['template', 'x', file, '--kube-version=1.37.0', DATABASE]);
    expect(rendered.stdout).toContain(`image: "registry.example.org/leases:${version}"`);
  });

  test('a directory that is no layout is refused and keeps its files', async () => {
    const other = path.join(home, 'other');
    mkdirSync(other);
    writeFileSync(path.join(other, 'file'), '');
    const { code, stderr } = await oci(`--output=${other}`);
    expect([code, stderr]).toEqual([1, `${other} is no OCI layout: name another directory\n`]);
    expect(existsSync(path.join(other, 'file'))).toBe(true);
  });
});

/** A registry with the named manifests of a layout: a tag VERSION is the chart with that version. */
async function serve(layout: string): Promise<{ port: number; close: () => void }> {
  const { manifests } = JSON.parse(readFileSync(path.join(layout, 'index.json'), 'utf8')) as Index;
  const server = createServer((request, response) => {
    const [, kind, reference = ''] = /\/(manifests|blobs)\/([^/]+)$/.exec(request.url ?? '') ?? [];
    const named = manifests.find(({ annotations }) => annotations['org.opencontainers.image.ref.name'] === `chart-${reference}`);
    const digest = named?.digest ?? reference;
    const file = path.join(layout, 'blobs', digest.replace(':', '/'));
    if (kind === undefined || !existsSync(file)) return void response.writeHead(404).end();
    const body = readFileSync(file);
    const type = kind === 'manifests' ? manifests[0]!.mediaType : 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-length': body.length, 'docker-content-digest': digest });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
