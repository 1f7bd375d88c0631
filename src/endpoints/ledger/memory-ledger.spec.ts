import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Logger } from 'pino';
import { createServerMetrics } from '../../telemetry/metrics/metric-registry.js';
import { type ConnectionAccount, HELD_NAMES, Held } from './connection-account.js';
import { MemoryLedger, clientNetwork, createMeteredLedger, openAccount } from './memory-ledger.js';

const { READS, HEADERS, RESPONSES } = Held;

function setUp(limits: Partial<MemoryLedger['limits']> = {}) {
  const met: string[] = [];
  const ledger = new MemoryLedger({ connection: 100, owner: 200, process: 400, ...limits }, (limit) => void met.push(limit));
  const cut: string[] = [];
  const open = (address: string, name = address) => ledger.open(address, () => void cut.push(name));
  return { ledger, met, cut, open };
}

describe('a charge', () => {
  test('is counted by kind, connection, owner and process until it is released', () => {
    const { ledger, open } = setUp();
    const [a, b] = [open('1'), open('1')];
    expect([a.charge(READS, 10), a.charge(HEADERS, 5), b.charge(READS, 7)]).toEqual([true, true, true]);
    a.openStream();
    expect([ledger.held, ledger.total, ledger.streams]).toEqual([[17, 5, 0, 0, 0], 22, 1]);
    expect([a.total, a.held(HEADERS), b.total, a.owner.total, a.owner.streams]).toEqual([15, 5, 7, 22, 1]);
    a.release(READS, 4);
    a.closeStream();
    expect([ledger.held[READS], a.total, a.owner.total, ledger.total, ledger.streams]).toEqual([13, 11, 18, 18, 0]);
  });

  test('beyond the limit of the connection is refused, and nothing is counted', () => {
    const { ledger, open, met, cut } = setUp();
    const account = open('1');
    expect([account.charge(READS, 100), account.charge(READS, 1)]).toEqual([true, false]);
    expect([account.total, ledger.total, met, cut]).toEqual([100, 100, ['connection_bytes'], []]);
  });

  test("beyond an owner's limit ends its largest connections, not the one being charged", () => {
    const { open, met, cut, ledger } = setUp();
    const [a, b, c] = [open('1', 'a'), open('1', 'b'), open('1', 'c')];
    expect([a.charge(READS, 90), b.charge(READS, 100), c.charge(READS, 20)]).toEqual([true, true, true]);
    expect([cut, met, b.closed, ledger.total]).toEqual([['b'], ['user_bytes'], true, 110]);
    expect(a.owner.total).toBe(110);
  });

  test('is refused if its own connection becomes the largest and the limit is exceeded', () => {
    const { open, cut } = setUp();
    const [a, b, c] = [open('1', 'a'), open('1', 'b'), open('1', 'c')];
    a.charge(READS, 60);
    b.charge(READS, 60);
    expect([c.charge(READS, 90), cut, a.closed, b.closed]).toEqual([false, ['c'], false, false]);
  });

  test('beyond the limit of the process ends connections of the largest owner, even if others have larger ones', () => {
    const { open, cut, met, ledger } = setUp();
    const hoards = Array.from({ length: 4 }, (_, at) => open('attacker', `hoard ${at}`));
    const honest = [open('one'), open('two'), open('three')];
    for (const account of hoards) account.charge(READS, 49);
    for (const account of honest) account.charge(READS, 65);
    expect([cut, ledger.total]).toEqual([[], 391]);
    expect(open('late').charge(HEADERS, 20)).toBe(true);
    // Down to 350, so that further charges are accepted without a search; among equals, the newest is cut off.
    expect([cut, met, ledger.total]).toEqual([['hoard 3', 'hoard 2'], ['process_bytes', 'process_bytes'], 313]);
  });

  test('is never refused if the limit is 0', () => {
    const { open } = setUp({ connection: 0, owner: 0, process: 0 });
    expect(open('1').charge(READS, 1e12)).toBe(true);
  });
});

describe('a connection', () => {
  test('belongs to its user once authenticated, and to its address again once it serves several users', () => {
    const { ledger, open } = setUp();
    const [a, b] = [open('1'), open('2')];
    a.charge(READS, 10);
    a.openStream();
    b.charge(READS, 20);
    a.usedBy('alice');
    b.usedBy('alice');
    expect([a.owner, a.owner.total, a.owner.streams]).toEqual([b.owner, 30, 1]);
    expect([...ledger.owners].map(({ name }) => name)).toEqual(['user alice']);
    a.usedBy('bob');
    a.usedBy('alice');
    expect([a.owner.name, a.owner.total, b.owner.total]).toEqual(['address 1', 10, 20]);
  });

  test('releases everything once when it ends', () => {
    const { ledger, open } = setUp();
    const account = open('1');
    account.charge(READS, 10);
    account.charge(RESPONSES, 10);
    account.openStream();
    account.close();
    account.close();
    account.release(READS, 10);
    account.closeStream();
    expect([account.charge(READS, 1), ledger.total, ledger.held, ledger.streams]).toEqual([false, 0, [0, 0, 0, 0, 0], 0]);
    expect([[...ledger.connections], [...ledger.owners]]).toEqual([[], []]);
  });
});

test('after any charges, releases, ends and changes of user, the sums agree and no limit is exceeded', () => {
  const step = fc.record({
    on: fc.nat(7),
    what: fc.constantFrom('charge', 'charge', 'charge', 'release', 'close', 'user'),
    kind: fc.nat(HELD_NAMES.length - 1),
    bytes: fc.nat(99),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { ledger, open } = setUp();
      const accounts: ConnectionAccount[] = Array.from({ length: 8 }, (_, at) => open(String(at % 3)));
      for (const { on, what, kind, bytes } of steps) {
        const account = accounts[on]!;
        if (what === 'charge') account.charge(kind as Held, bytes);
        else if (what === 'release') account.release(kind as Held, Math.min(bytes, account.held(kind as Held)));
        else if (what === 'user') account.usedBy(`user ${bytes % 3}`);
        else account.close();
        const sums = HELD_NAMES.map((_, each) => accounts.reduce((sum, one) => sum + one.held(each as Held), 0));
        expect(ledger.held).toEqual(sums);
        expect([...ledger.owners].reduce((sum, { total }) => sum + total, 0)).toBe(ledger.total);
        // A connection that changes its owner is not charged, so the owner's sum is only checked at the next charge.
        expect(ledger.total).toBeLessThanOrEqual(400);
        for (const { total } of accounts) expect(total).toBeLessThanOrEqual(100);
      }
    }),
  );
});

function socketFrom(remoteAddress: string): Socket {
  return Object.assign(new Duplex(), { remoteAddress }) as unknown as Socket;
}

test('connections from one IPv6 network of 64 bits belong to one owner', () => {
  const ledger = new MemoryLedger();
  const addresses = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1', '::ffff:10.0.0.1', '10.0.0.1'];
  const owners = addresses.map((address) => openAccount(ledger, socketFrom(address)).owner.name);
  expect(owners).toEqual([
    'address 2001:db8:0:0::/64',
    'address 2001:db8:0:0::/64',
    'address 2001:db8:0:1::/64',
    'address 10.0.0.1',
    'address 10.0.0.1',
  ]);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['::FFFF:10.1.2.3', '10.1.2.3'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0DB8:0000:0000::2', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:3:3:4:5:6', '2001:db8:1:3::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s counts as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test('who is cut off for the memory that is held for it is logged', () => {
  const lines: [object, string][] = [];
  const logger = { warn: (fields: object, message: string) => void lines.push([fields, message]) } as unknown as Logger;
  const ledger = createMeteredLedger(createServerMetrics().main, logger, { connection: 100, owner: 150, process: 0 });
  const [large, small] = [ledger.open('10.0.0.7', () => undefined), ledger.open('10.0.0.8', () => undefined)];
  for (const account of [large, small]) account.usedBy('alice');
  large.charge(Held.RESPONSES, 90);
  small.charge(Held.RESPONSES, 70);
  expect(lines).toEqual([
    [{ of: 'user alice', at: 'address 10.0.0.7', limit: 'user_bytes', bytes: 90 }, 'connection cut off: too much is held for it'],
  ]);
});
