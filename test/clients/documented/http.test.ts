import { tmpdir } from 'node:os';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { afterAllTests, forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { eventually } from '../../support/eventually.js';
import { PROGRAM } from '../../support/program-under-test.js';
import { startServerProcess } from '../../support/server-process.js';
import { ClientProcess } from '../client-process.js';
import { mustRun } from '../run-program.js';
import { TcpLink } from '../../support/tcp-link.js';
import { type Tool, CURL, ELIXIR, MONO, PERL, PHP, RUBY, whyNot } from '../toolchain.js';
import { filesOf, writeFilesOf } from './documented-program.js';
import { scratchDirectory } from '../../support/scratch-directory.js';

const PAGE = 'clients/http.md';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const LEADING = /^leading (\d+)$/;

/** A program of the page: what it needs, and the command that runs it. */
interface Recipe {
  readonly file: string;
  readonly needs: Tool;
  readonly command: readonly string[];
  readonly build?: () => Promise<unknown>;
  /** Frees the lock at SIGTERM. */
  readonly stops: boolean;
}

describe('the programs of docs/clients/http.md', () => {
  const folder = scratchDirectory(tmpdir());
  let authority: string;
  const processes: ClientProcess[] = [];
  const proxies: TcpLink[] = [];

  const RECIPES: readonly Recipe[] = [
    {
      file: 'Leader.cs',
      needs: MONO,
      command: ['mono', 'Leader.exe'],
      build: async () => {
        await mustRun('cert-sync', ['--quiet', '--user', authority], { env: { XDG_CONFIG_HOME: folder } });
        await mustRun('mcs', ['-r:System.Net.Http.dll', 'Leader.cs'], { cwd: folder });
      },
      stops: false, // Mono hears of Ctrl-C from a terminal only
    },
    { file: 'leader.sh', needs: CURL, command: ['sh', 'leader.sh'], stops: true },
    { file: 'leader.rb', needs: RUBY, command: ['ruby', 'leader.rb'], stops: true },
    { file: 'leader.php', needs: PHP, command: ['php', 'leader.php'], stops: true },
    { file: 'leader.pl', needs: PERL, command: ['perl', 'leader.pl'], stops: true },
    { file: 'leader.exs', needs: ELIXIR, command: ['elixir', 'leader.exs'], stops: true },
  ];

  beforeAll(() => {
    writeFilesOf(PAGE, folder);
  });
  const server = forAllTests(() => startServerProcess());
  beforeAll(() => {
    authority = path.join(server.dataDir, 'certs/ca.crt');
  });
  afterAllTests(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    await Promise.all(proxies.map((proxy) => proxy.close()));
  });

  test('are all of the page', () => {
    expect([...filesOf(PAGE).keys()].sort()).toEqual(RECIPES.map(({ file }) => file).sort());
  });

  for (const { file, needs, command, build, stops } of RECIPES) {
    const missing = whyNot(needs);
    const run = missing === undefined ? test.concurrent : test.skip;
    const title = missing === undefined ? file : `${file}: skipped: ${missing}`;

    run(`${title}: hands over when told to stop, and ends when the lock is taken from it or the server out of reach`, async () => {
      await build?.();
      const proxy = await TcpLink.to(server.port);
      proxies.push(proxy);
      const lock = `${server.url}${LEASES}/${file.toLowerCase()}/lock`;
      const start = (): ClientProcess => {
        const [program = '', script = ''] = command;
        const access = { SERVER: `https://localhost:${proxy.port}`, TOKEN: 'admin-token', CA_FILE: authority, XDG_CONFIG_HOME: folder };
        const started = new ClientProcess(program, [path.join(folder, script), file.toLowerCase()], { ...process.env, ...access });
        processes.push(started);
        return started;
      };

      const first = start();
      const before = await token(first);
      const second = start();
      await renewed(file.toLowerCase());
      expect(second.lines.filter((line) => LEADING.test(line))).toEqual([]);
      const holder = await holderOf(file.toLowerCase());
      if (stops) {
        first.signal('SIGTERM');
        await eventually(() => first.ended === 0);
      } else {
        await first.kill();
        await ask(`${lock}?force=true`, { method: 'DELETE' });
      }
      expect(await holderOf(file.toLowerCase())).not.toBe(holder);
      const after = await token(second);
      expect(Number(after)).toBeGreaterThan(Number(before));

      await eventually(async () => {
        await ask(`${lock}?force=true`, { method: 'DELETE' });
        return (await ask(`${lock}?holder=another&duration=1h`, { method: 'PUT' })).status === 200;
      });
      await lost(second);
      const third = start();
      await ask(`${lock}?holder=another`, { method: 'DELETE' });
      expect(Number(await token(third))).toBeGreaterThan(Number(after));
      await renewed(file.toLowerCase());
      proxy.block();
      await lost(third);
    });
  }

  test('one job takes the lock by curl, and frees it', async () => {
    const access = { SERVER: server.url, TOKEN: 'admin-token', CA_FILE: authority, HOSTNAME: 'here' };
    expect(await mustRun('bash', ['-c', blocks('bash').join('\n')], { env: access })).toMatch(/with fencing token \d+\nfree\n$/);
  });

  test.each(blocks('sh').map((lines) => [lines.includes('docker') ? 'Docker Compose' : 'npm start', lines]))(
    'server, token and authority are found beside %s',
    async (_, lines) => {
      const site = path.join(folder, 'site');
      mkdirSync(site, { recursive: true });
      const stand = `'${process.execPath}' '${PROGRAM}'`;
      // Instead of a container with the data of the server in /data.
      const docker = `shift 3\ncase $1 in cat) cat "${server.dataDir}\${2#/data}";; *) shift; ${stand} "$@";; esac`;
      for (const [name, script] of [
        ['coordination-apiserver', `exec ${stand} "$@"`],
        ['docker', docker],
      ] as const) {
        writeFileSync(path.join(site, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      }
      rmSync(path.join(site, '.data'), { force: true });
      symlinkSync(server.dataDir, path.join(site, '.data'));
      const request = `curl --silent --cacert "$CA_FILE" --header "Authorization: Bearer $TOKEN" "$ADDRESS/apis/coordination.k8s.io/v1/leases"`;
      const env = { PATH: `${site}:${process.env['PATH']}`, ADDRESS: server.url, COORDINATION_APISERVER_DATA_DIR: server.dataDir };
      expect(await mustRun('bash', ['-c', `${lines}\n${request}`], { cwd: site, env })).toContain('"LeaseList"');
    },
  );

  const token = async (leader: ClientProcess) => LEADING.exec(await leader.line(LEADING))?.[1];

  async function specOf(lease: string): Promise<Record<string, unknown>> {
    return (await ask(`${server.url}${LEASES}/${lease}`)).json['spec'] as Record<string, unknown>;
  }

  const holderOf = async (lease: string) => (await specOf(lease))['holderIdentity'];

  async function lost(leader: ClientProcess): Promise<void> {
    await leader.line(/^lost$/);
    await eventually(() => leader.ended === 1);
  }

  /** Waits until the holder has renewed its lease twice. */
  async function renewed(lease: string): Promise<void> {
    const seen = new Set<unknown>();
    await eventually(async () => seen.add((await specOf(lease))['renewTime']).size > 2);
  }
});

/** The blocks without a file's name, in order. */
function blocks(language: string): string[] {
  const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs', PAGE), 'utf8');
  return [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, of, text = '']) => (of === language ? [text] : []));
}
