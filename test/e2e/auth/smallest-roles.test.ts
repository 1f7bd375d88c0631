import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CoordinationClient } from '../../../packages/kube-client/src/coordination-client.js';
import { httpsTransport } from '../../../packages/kube-client/src/https-transport.js';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { LeaderElector } from '../../../packages/leader-election/src/leader-elector.js';
import { withLock } from '../../../packages/lease-lock/src/acquisition.js';
import { serverLeases } from '../../../packages/lease-lock/src/server-leases.js';
import { callTools } from '../../../packages/lease-mcp/test/support/call-tools.js';
import { formatKubeconfig } from '../../../src/server/tls/admin-kubeconfig.js';
import { runProgram } from '../../clients/run-program.js';
import { describeWith, KUBECTL } from '../../clients/toolchain.js';
import { eventually } from '../../support/eventually.js';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { grant } from '../../support/rights.js';
import { startServerProcess } from '../../support/server-process.js';
import { runCommand } from '../cli/run-command.js';
import { ServerRun } from '../lifecycle/server-run.js';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/rights.md'), 'utf8');
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const OTHER_GROUP: Readonly<Record<string, string>> = { leaseterms: 'history', refusedrequests: 'history' };

interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly name: string | undefined;
}

/** The rows of the page's table: the program, and its rights one by one. */
const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`') && !line.startsWith('| program'))
  .map((line) => {
    const [, program = '', rules = ''] = line.split('|').map((cell) => cell.trim());
    const rights = [...rules.matchAll(/`([^`]+)`/g)].flatMap(([, rule = '']): Right[] => {
      const [verbs = '', resource = '', name] = rule.split(' ');
      return verbs.split(',').map((verb) => ({ verb, resource, name }));
    });
    return { program: program.replaceAll('`', '').replace(/\[(.+?)\]\(.+?\)/, '$1'), rights };
  });

const users = rows.flatMap(({ rights }, row) => [`of-${row}`, ...rights.map((_, without) => `of-${row}-without-${without}`)]);
const server = forAllTests(
  () =>
    startServerProcess({
      store: 'postgres',
      tokens: ['admin-token,admin,admin,"system:masters"', ...users.map((user) => `${user}-token,${user},${user}`)],
      flags: ['--authorization-mode=RBAC'],
    }),
  60_000,
);
let ca: string;
beforeAll(async () => void ({ ca } = await apiAccess(server)));

/** What a program did: whether it did all of it, and what it said. */
interface Outcome {
  readonly worked: boolean;
  readonly said: string;
}

/** Somebody with a token and a kubeconfig. */
class User {
  readonly kubeconfig: string;

  constructor(readonly name: string) {
    this.kubeconfig = path.join(server.dataDir, `${name}.kubeconfig`);
  }

  get token(): string {
    return `${this.name}-token`;
  }

  async begin(rights: readonly Right[], lease: string): Promise<void> {
    await writeFile(this.kubeconfig, formatKubeconfig({ server: server.url, authorityCert: ca, token: this.token }));
    await grant(
      server.url,
      this.name,
      rights.map((right) => ruleOf(right, lease)),
      'default',
    );
  }

  /** A command may succeed although a right is missing for what it does at its end; then it says so. */
  async command(...args: string[]): Promise<Outcome> {
    const { code, stdout, stderr } = await runCommand(args, { KUBECONFIG: this.kubeconfig });
    return { worked: code === 0 && !stderr.includes('forbidden'), said: stdout + stderr };
  }

  /** Leads once, and then is told to stop. */
  async elect(lease: string): Promise<Outcome> {
    const run = new ServerRun(['elect', lease, '--verbose', '--', 'sleep', '60'], { environment: { KUBECONFIG: this.kubeconfig } });
    let worked = false;
    await Promise.race([run.ended, eventually(() => (worked ||= run.stderr.includes('leads default/')))]);
    await run.end('SIGTERM');
    return { worked: worked && !run.stderr.includes('forbidden'), said: run.stderr };
  }

  async kubectl(args: readonly string[], input?: string): Promise<Outcome> {
    const { code, stdout, stderr } = await runProgram('kubectl', args, {
      input,
      env: { HOME: server.dataDir, KUBECONFIG: this.kubeconfig },
    });
    return { worked: code === 0, said: stdout + stderr };
  }

  /** Requests in turn; the first that is refused ends them. */
  async requests(...all: readonly (readonly [method: string, path: string, body?: object])[]): Promise<Outcome> {
    for (const [method, where, body] of all) {
      const headers = { authorization: `Bearer ${this.token}`, ...(body && { 'content-length': String(JSON.stringify(body).length) }) };
      const { status, text } = await ask(`${server.url}${LEASES}/${where}`, { method, headers, ...(body && { body }) });
      if (status >= 400 && status !== 404) return { worked: false, said: text };
    }
    return { worked: true, said: '' };
  }
}

function ruleOf({ verb, resource, name }: Right, lease: string) {
  const group = OTHER_GROUP[resource] === undefined ? 'coordination.k8s.io' : 'history.coordination-apiserver.dev';
  const names = name === undefined ? {} : { resourceNames: [name.replace('NAME', lease)] };
  return { apiGroups: [group], resources: [resource], verbs: [verb], ...names };
}

const outcome = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    () => ({ worked: true, said: '' }),
    (error: unknown) => ({ worked: false, said: String(error) }),
  );

const TRUE = ['--', 'true'];
const manifest = (name: string, labels: object = {}) =>
  JSON.stringify({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, labels }, spec: {} });

/** How each program of the page is run with a lease of this name, which exists unless its name ends in `missing`. */
const PROGRAMS: Readonly<Record<string, (user: User, lease: string) => Promise<Outcome>>> = {
  'lock NAME --fail-fast': (user, lease) => user.command('lock', lease, '--fail-fast', ...TRUE),
  'lock NAME --fail-fast, the lease may be missing': async (user, lease) => {
    const missing = await user.command('lock', lease, '--fail-fast', ...TRUE);
    return missing.worked ? user.command('lock', lease, '--fail-fast', ...TRUE) : missing;
  },
  'lock NAME, elect NAME, which may have to wait': async (user, lease) => {
    await ask(`${server.url}${LEASES}/${lease}/lock?holder=other&duration=2s`, { method: 'PUT' });
    const locked = await user.command('lock', lease, '--wait=20s', ...TRUE);
    return locked.worked ? user.elect(lease) : locked;
  },
  'mcp: take_lease, release_lease': async (user, lease) => {
    const tools = ['take_lease', 'release_lease', 'take_lease'];
    const { failed, said } = await callTools(['--kubeconfig', user.kubeconfig], tools, { name: lease });
    return { worked: !failed, said };
  },
  'package leader-election, client-go': async (user, lease) => {
    const { leases: client } = new CoordinationClient(httpsTransport({ server: server.url, token: user.token, ca }));
    const errors: unknown[] = [];
    const stop = new AbortController();
    const onError = (error: unknown): void => {
      errors.push(error);
      stop.abort();
    };
    const elector = new LeaderElector({ client, name: lease, namespace: 'default', releaseOnCancel: true, onError });
    for await (const term of elector.terms(stop.signal)) if (term) stop.abort();
    return { worked: errors.length === 0, said: errors.map(String).join('\n') };
  },
  'package lease-lock': async (user, lease) => {
    await ask(`${server.url}${LEASES}/${lease}/lock?holder=other&duration=2s`, { method: 'PUT' });
    const said: string[] = [];
    const backend = await serverLeases({ kubeconfig: user.kubeconfig, onError: (error) => said.push(String(error)) });
    const onError = (error: unknown) => void said.push(String(error));
    const done = await outcome(withLock(lease, { backend, wait: 20_000, onError }, () => undefined));
    return { worked: done.worked && said.length === 0, said: said.join('\n') + done.said };
  },
  'lock over HTTP': (user, lease) => user.requests(['PUT', `${lease}/lock?holder=me`], ['DELETE', `${lease}/lock?holder=me`]),
  Terraform: (user, lease) => {
    const info = { ID: '1', Operation: 'OperationTypeApply', Who: 'me@host', Version: '1.11' };
    return user.requests(
      ['PUT', `${lease}/lock`, info],
      ['GET', `${lease}/state`],
      ['POST', `${lease}/state?ID=1`, { version: 4, serial: 1 }],
      ['DELETE', `${lease}/lock`, info],
    );
  },
  'leases -n NAMESPACE': (user) => user.command('leases', '-n', 'default'),
  'who-led NAME, history NAME': async (user, lease) => {
    const led = await user.command('who-led', `default/${lease}`, '--at', '0s');
    const history = await user.command('history', `default/${lease}`);
    return { worked: led.worked && history.worked, said: led.said + history.said };
  },
  'doctor lease NAME': async (user, lease) => {
    await ask(`${server.url}${LEASES}/${lease}/lock?holder=other&duration=1h`, { method: 'PUT' });
    const { worked, said } = await user.command('doctor', 'lease', `default/${lease}`);
    return { worked: worked && !said.includes('forbidden'), said };
  },
  'kubectl get lease NAME': (user, lease) => user.kubectl(['get', 'lease', lease]),
  'kubectl get leases --watch': (user) => user.kubectl(['get', 'leases', '--watch', '--request-timeout=2s']),
  'kubectl apply': async (user, lease) => {
    const apply = ['apply', '-f', '-', '--validate=false'];
    const created = await user.kubectl(apply, manifest(lease));
    return created.worked ? user.kubectl(apply, manifest(lease, { changed: 'yes' })) : created;
  },
  'kubectl delete lease NAME': (user, lease) => user.kubectl(['delete', 'lease', lease]),
};

/** A lease that nobody holds, where the program is not to create it. */
async function leaseFor(user: string, rights: readonly Right[]): Promise<string> {
  const lease = `lease-${user}`;
  if (!rights.some(({ verb }) => verb === 'create')) {
    const created = await ask(`${server.url}${LEASES}`, {
      method: 'POST',
      body: { metadata: { name: lease }, spec: { holderIdentity: 'x' } },
    });
    expect(created.status).toBe(201);
    await ask(`${server.url}${LEASES}/${lease}/lock?force=true`, { method: 'DELETE' });
  }
  return lease;
}

test('every program of the page is run, and every one that is run is in the page', () => {
  expect(rows.map(({ program }) => program)).toEqual(Object.keys(PROGRAMS));
});

for (const [at, { program, rights }] of rows.entries()) {
  const suite = (): void => {
    test('suffices', async () => {
      const user = new User(`of-${at}`);
      const lease = await leaseFor(user.name, rights);
      await user.begin(rights, lease);
      expect(await PROGRAMS[program]?.(user, lease)).toEqual({ worked: true, said: expect.any(String) });
    }, 60_000);

    for (const [without, { verb, resource, name = '' }] of rights.entries()) {
      test(`does not without ${verb} of ${resource} ${name}, and who runs it is told so`, async () => {
        const user = new User(`of-${at}-without-${without}`);
        const lease = await leaseFor(user.name, rights);
        await user.begin(
          rights.filter((_, index) => index !== without),
          lease,
        );
        const told = new RegExp(`cannot ${verb} resource [\\\\"]+${resource}`);
        expect(await PROGRAMS[program]?.(user, lease)).toEqual({ worked: false, said: expect.stringMatching(told) });
      }, 60_000);
    }
  };
  const title = `the Role of ${program}`;
  if (program.startsWith('kubectl')) describeWith([KUBECTL], title, suite);
  else describe(title, suite);
}
