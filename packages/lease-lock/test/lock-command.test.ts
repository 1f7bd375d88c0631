import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import type { LockProcess, LockResult } from './support/lock-process.js';
import { LockServer } from './support/lock-server.js';

const site = LockServer.forThisFile();

const lock = (...args: string[]): Promise<LockResult> => site.start('lock', ...args).result();
const start = (...args: string[]): LockProcess => site.start('lock', ...args);

/** Holds a lock until it is told to stop. */
async function hold(name: string, ...options: string[]): Promise<LockProcess> {
  const holder = start(name, ...options, '--', 'sh', '-c', 'echo held; sleep 600');
  await holder.prints(/held/);
  return holder;
}

describe('the command', () => {
  test('finds the lease in its environment, and each time a greater token', async () => {
    const run = async () => {
      const { stdout } = await lock('environment', '--holder=me', '--', 'sh', '-c', 'env | grep ^LEASE_ | sort');
      return Object.fromEntries(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split('=')) as [string, string][],
      );
    };
    const first = await run();
    expect(first).toEqual({
      LEASE_HOLDER: expect.stringMatching(/^me_[0-9a-f]{10}$/),
      LEASE_NAME: 'environment',
      LEASE_NAMESPACE: 'default',
      LEASE_SLOT: '0',
      LEASE_TOKEN: expect.stringMatching(/^\d+$/),
    });
    expect(BigInt((await run())['LEASE_TOKEN'] ?? 0)).toBeGreaterThan(BigInt(first['LEASE_TOKEN'] ?? 0));
    expect(await site.leases.holder('environment')).toBe('');
  });

  test('runs to its end where the PATH has nothing', async () => {
    const before = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    const running = start('no-path', '--', '/bin/sh', '-c', '/bin/sleep 0.5; echo done');
    process.env['PATH'] = before;
    const { stdout, code } = await running.result();
    expect([stdout, code]).toEqual(['done\n', 0]);
  });

  test('escapes characters of a holder that would forge lines or move the cursor', async () => {
    const holder = await hold('forged', '--holder=x\u001b[2K\r\u202e\nlease-lock: free');
    const { code, stderr } = await lock('forged', '--fail-fast', '--verbose', '--', 'true');
    expect(code).toBe(75);
    expect(stderr).toContain('x\\u{1b}[2K\\u{d}\\u{202e}\\u{a}lease-lock: free_');
    for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^lease-lock: [ -~]*$/);
    holder.signal('SIGTERM');
    await holder.result();
  });

  test('holds a Lease that other clients understand', async () => {
    const holder = await hold('plain', '--duration=20s');
    const { spec } = (await site.leases.get('plain')) ?? {};
    expect(spec).toEqual({
      holderIdentity: expect.any(String),
      leaseDurationSeconds: 20,
      leaseTransitions: 0,
      acquireTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      renewTime: expect.any(String),
    });
    holder.signal('SIGTERM');
    await holder.result();
  });

  test.each([
    [['sh', '-c', 'exit 7'], 7],
    [['sh', '-c', 'kill -KILL $$'], 137],
    [['true'], 0],
    [['no-such-program'], 127],
    [['/etc/passwd'], 126],
  ])('%j ends the program with code %d, and frees the lock', async (command, code) => {
    const name = `code-${code}`;
    expect((await lock(name, '--', ...command)).code).toBe(code);
    expect(await site.leases.holder(name)).toBe('');
  });

  test('is a line for the shell with --shell', async () => {
    const { stdout } = await lock('shell', '--shell', '--', 'echo one;', 'echo $LEASE_NAME');
    expect(stdout).toBe('one\nshell\n');
  });

  test('keeps the lock as long as one of its children runs', async () => {
    const file = site.file('child');
    const begin = start('children', '--', 'sh', '-c', `(while [ ! -e ${file} ]; do sleep 0.05; done; echo last) & echo first; exit 3`);
    await begin.prints(/first/);
    expect(await site.leases.holder('children')).not.toBe('');
    expect(begin.isRunning).toBe(true);
    writeFileSync(file, '');
    expect(await begin.result()).toMatchObject({ code: 3, stdout: 'first\nlast\n' });
    expect(await site.leases.holder('children')).toBe('');
  });
});

describe('signals', () => {
  test('are passed on to the command and its children; its exit code counts', async () => {
    const script = 'trap "echo stopping; exit 9" TERM; (trap "echo child" TERM; sleep 600 & wait) & echo ready; wait; wait';
    const running = start('passed-on', '--', 'sh', '-c', script);
    await running.prints(/ready/);
    running.signal('SIGTERM');
    const { code, stdout } = await running.result();
    expect([code, stdout.split('\n').sort()]).toEqual([9, ['', 'child', 'ready', 'stopping']]);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGUSR1', 138],
  ] as const)('%s, which ends the command, ends the program with code %d', async (name, code) => {
    const lockName = name.toLowerCase();
    const holder = await hold(lockName);
    holder.signal(name);
    expect((await holder.result()).code).toBe(code);
    expect(await site.leases.holder(lockName)).toBe('');
  });

  test('end the wait, and the place in the queue is given up', async () => {
    const holder = await hold('waiting');
    const waiter = start('waiting', '--', 'true');
    await site.leases.untilWaiting('waiting', 1);
    waiter.signal('SIGINT');
    expect((await waiter.result()).code).toBe(130);
    expect(await site.leases.waiting('waiting')).toEqual([]);
    holder.signal('SIGTERM');
    await holder.result();
  });

  test('SIGTSTP stops the command before this process, SIGCONT continues both', async () => {
    const file = site.file('ticks');
    const holder = start('stopped', '--duration=600s', '--', 'sh', '-c', `echo held; while :; do echo tick >> ${file}; sleep 0.02; done`);
    await holder.prints(/held/);
    const ticks = () => (existsSync(file) ? readFileSync(file, 'utf8').length : 0);
    const grows = (than: number) =>
      eventually(
        () => ticks() > than || undefined,
        () => 'the command does not run',
      );
    await grows(0);
    holder.signal('SIGTSTP');
    let before = -1;
    await eventually(
      () => {
        const now = ticks();
        const stands = now === before;
        before = now;
        return stands || undefined;
      },
      () => 'the command does not stop',
    );
    holder.signal('SIGCONT');
    await grows(before);
    holder.signal('SIGTERM');
    expect((await holder.result()).code).toBe(143);
  });
});

describe('a lock that is held', () => {
  let holder: LockProcess;
  beforeAll(async () => {
    holder = await hold('held');
  });
  afterAll(async () => {
    holder.signal('SIGTERM');
    await holder.result();
  });

  test('is waited for as long as --wait says', async () => {
    const started = performance.now();
    const { code, stderr } = await lock('held', '--wait=1s', '--', 'true');
    expect(code).toBe(75);
    expect(stderr).toMatch(/^lease-lock: the lock default\/held was not free in time: \S+_[0-9a-f]{10} holds it\n$/);
    expect(performance.now() - started).toBeGreaterThan(1_000);
    expect(await site.leases.waiting('held')).toEqual([]);
  });

  test('is not waited for with --fail-fast', async () => {
    expect((await lock('held', '--fail-fast', '--', 'true')).code).toBe(75);
    expect(await lock('held', '--fail-fast', '--conflict-exit-code=0', '--quiet', '--', 'true')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('a holder whose lease ended long ago', () => {
  const longAgo = '2020-01-01T00:00:00.000000Z';
  const dead = { holderIdentity: 'crashed', leaseDurationSeconds: 2, acquireTime: longAgo, renewTime: longAgo };

  test.each(['--fail-fast', '--wait=100ms'])('loses it to one who hardly waits (%s), after another duration', async (option) => {
    const name = `dead${option.replace(/[^a-z0-9]/g, '')}`;
    await site.leases.create(name, dead);
    const started = performance.now();
    expect(await lock(name, option, '--', 'echo', 'done')).toEqual({
      code: 0,
      stdout: 'done\n',
      stderr: `lease-lock: crashed holds ${name} but seems to have crashed: waiting until its lease has expired, or it renews\n`,
    });
    expect(performance.now() - started).toBeGreaterThan(2_000);
  });

  test('keeps it if only its clock is wrong: a renewal shows that it lives', async () => {
    let lease = await site.leases.create('slow-clock', { ...dead, leaseDurationSeconds: 600 });
    const attempt = start('slow-clock', '--fail-fast', '--', 'echo', 'done');
    for (let time = 1; attempt.isRunning; time++) {
      lease = await site.leases.update(lease, { renewTime: `2020-01-01T00:00:00.${String(time).padStart(6, '0')}Z` });
    }
    expect(await attempt.result()).toMatchObject({ code: 75, stdout: '' });
  });
});

describe('exit codes for what cannot work', () => {
  test.each([
    ['no command', ['x'], 64, 'the command is missing: it comes after "--"'],
    ['no name', ['--', 'true'], 64, 'the name of the lock is missing'],
    ['an unknown option', ['x', '--slotz=3', '--', 'true'], 64, "Unknown option '--slotz'"],
    ['a bad duration', ['x', '--wait=soon', '--', 'true'], 64, '--wait: "soon" is not a duration'],
    ['a bad name', ['Report', '--', 'true'], 64, '"Report" cannot be the name of a lock'],
    ['no slots', ['x', '--slots=0', '--', 'true'], 64, 'the number of slots'],
    ['a server that does not answer', ['x', '--server=https://127.0.0.1:1', '--', 'true'], 69, 'the server cannot be reached'],
    ['... even after a wait', ['x', '--wait=500ms', '--server=https://127.0.0.1:1', '--', 'true'], 69, 'the server cannot be reached'],
    ['a namespace that does not exist', ['x', '--namespace=none', '--', 'true'], 77, 'namespaces "none" not found'],
    ['a kubeconfig that does not exist', ['x', '--kubeconfig=/none', '--', 'true'], 78, 'cannot read the kubeconfig /none'],
    ['an unknown context', ['x', '--context=none', '--', 'true'], 78, 'has no context "none"'],
  ])('%s', async (_, args, code, message) => {
    const { stderr, ...result } = await lock(...args);
    expect(result).toEqual({ code, stdout: '' });
    expect(stderr).toContain(message);
  });

  test('a command that does not exist, of which the shell says so in the name of the program', async () => {
    expect((await lock('x', '--', 'no-such-program')).stderr).toMatch(/^lease-lock: .*no-such-program.*\n$/);
  });

  test('a token without rights', async () => {
    const { code, stderr } = await lock('x', `--server=${site.server.url}`, '--token=wrong', '--insecure-skip-tls-verify', '--', 'true');
    expect([code, stderr]).toEqual([
      77,
      expect.stringMatching(/^lease-lock: the server refused: Unauthorized \(401\): the credentials are of another server, or [^\n]*\n$/),
    ]);
  });
});
