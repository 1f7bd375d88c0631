import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../support/for-tests.js';
import { type ServerProcess, startServerProcess } from '../support/server-process.js';
import { ClientProcess } from './client-process.js';
import { eventually } from '../support/eventually.js';
import { startPostgres } from '../support/postgres-under-test.js';
import { scratchDirectory } from '../support/scratch-directory.js';
import { buildGoProgram } from './go-programs.js';
import { describeWith, GO } from './toolchain.js';

describeWith([GO], 'coordinated leader election with client-go', () => {
  /** A separate cluster, which can be restarted without disturbing other suites. */
  const clusterDir = scratchDirectory();
  let binary: string;
  const candidates = new Map<string, ClientProcess>();
  /** The first one, restarted. */
  let again: ServerProcess | undefined;

  beforeAll(async () => {
    binary = await buildGoProgram('coordinate');
  }, 600_000);
  const postgres = forAllTests(() => startPostgres({ dir: clusterDir }));
  const first = forAllTests(() => startServerProcess({ databaseUrl: postgres.url() }));
  afterAllTests(() => Promise.all([...[...candidates.values()].map((candidate) => candidate.kill()), again?.stop()]));

  const join = (identity: string, emulationVersion: string): ClientProcess => {
    const kubeconfig = path.join(first.dataDir, 'admin.kubeconfig');
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
    await first.kill();
    again = await startServerProcess({ databaseUrl: postgres.url(), dataDir: first.dataDir, port: first.port });
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
    expect(again?.exitCode()).toBeNull();
  });
});
