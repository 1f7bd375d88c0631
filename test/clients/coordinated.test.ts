import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EmbeddedPostgres } from '../../src/server/embedded-postgres/embedded-postgres.js';
import { fastFolder } from '../support/fast-folder.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { buildGoProgram } from './go-programs.js';
import { describeWith, GO } from './toolchain.js';

describeWith([GO], 'coordinated leader election with client-go', () => {
  let server: ServerProcess;
  /** A separate cluster, which can be restarted without disturbing other suites. */
  let postgres: EmbeddedPostgres;
  let clusterDir: string;
  let binary: string;
  const candidates = new Map<string, ClientProcess>();

  beforeAll(async () => {
    binary = await buildGoProgram('coordinate');
    clusterDir = mkdtempSync(path.join(fastFolder(), 'coordinated-'));
    postgres = new EmbeddedPostgres({ dir: clusterDir, syncInit: false });
    await postgres.start();
    server = await startServerProcess({ databaseUrl: postgres.url() });
  }, 600_000);
  afterAll(async () => {
    await Promise.all([...candidates.values()].map((candidate) => candidate.kill()));
    await server.stop();
    await postgres.stop();
    rmSync(clusterDir, { recursive: true, force: true });
  });

  const join = (identity: string, emulationVersion: string): ClientProcess => {
    const kubeconfig = path.join(server.dataDir, 'admin.kubeconfig');
    const flags = [`--kubeconfig=${kubeconfig}`, `--identity=${identity}`, `--emulation-version=${emulationVersion}`];
    const candidate = new ClientProcess(binary, flags);
    candidates.set(identity, candidate);
    return candidate;
  };
  const kill = async (identity: string): Promise<void> => {
    await candidates.get(identity)?.kill();
    candidates.delete(identity);
  };
  /** Candidates whose last message is that they lead. */
  const leaders = (): string[] =>
    [...candidates]
      .filter(([, { lines }]) =>
        lines
          .filter((line) => /^(leading|lost) /.test(line))
          .at(-1)
          ?.startsWith('leading'),
      )
      .map(([name]) => name);
  const leads = (identity: string) =>
    eventually(
      () => leaders().join() === identity,
      () => `${identity} does not lead alone:\n${[...candidates].map(([name, { lines }]) => `${name}: ${lines.join(' | ')}`).join('\n')}`,
    );

  test('the oldest emulation version of three candidates leads', async () => {
    join('v36', '1.36.0');
    join('v35', '1.35.0');
    join('v34', '1.34.0');
    await leads('v34');
  });

  test('a joining candidate with an older emulation version takes over', async () => {
    join('v33', '1.33.0');
    await leads('v33');
  });

  test('the next best candidate takes over when the leader is killed', async () => {
    await kill('v33');
    await leads('v34');
  });

  test('after the server is killed and restarted, the best candidate still leads, and the next takes over from it', async () => {
    await server.kill();
    const { dataDir, port } = server;
    server = await startServerProcess({ databaseUrl: postgres.url(), dataDir, port });
    await leads('v34');
    await kill('v34');
    await leads('v35');
  });

  test('after a restart of PostgreSQL under the server, the best candidate still leads, and an older one that joins takes over', async () => {
    await postgres.stop();
    await postgres.start();
    await leads('v35');
    join('v32', '1.32.0');
    await leads('v32');
    expect(server.exitCode()).toBeNull();
  });
});
