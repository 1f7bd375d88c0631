import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { microTime } from '../../../src/apimachinery/go/go-time.js';
import { connected } from '../../support/connected.js';
import { openFixture, pause } from './postgres-fixture.js';
import { summary, TermReplica } from './term-replica.js';

const held = (holderIdentity: string) => ({ holderIdentity, leaseDurationSeconds: 60, renewTime: microTime(Date.now()) });
const LEASES = Array.from({ length: 40 }, (_, n) => `lease-${n}`);

/** What an administrator's open transaction has locked, and which of the leases cannot be renewed meanwhile. */
const LOCKS: readonly (readonly [what: string, statement: string, blocked: readonly string[]])[] = [
  ['the row of a lease', `select from objects where path = 'ns/lease-7' for update`, ['lease-7']],
  ['the row of a lease, for reading', `select from objects where path = 'ns/lease-7' for share`, ['lease-7']],
  ['the rows of many leases', `update objects set data = data where path like 'ns/lease-2_'`, LEASES.filter((name) => /-2\d/.test(name))],
  ['the rows of all terms', 'select from lease_term for update', []],
  ['the table of terms', 'lock table lease_term in exclusive mode', []],
  ['the row of a namespace', `select from objects where path = 'ns' for update`, []],
];

describe('beside an open transaction that has locked', () => {
  const fixture = forAllTests(() => openFixture(0));
  const replica = forAllTests(() => TermReplica.open(fixture.url));
  beforeAll(async () => {
    await replica.registry.withNamespace();
    await Promise.all(LEASES.map((name) => replica.create(name, held('a'))));
  });

  const locking = async (statement: string, work: () => Promise<void>) => {
    await using client = await connected({ connectionString: fixture.url, application_name: 'psql' });
    await client.query('begin');
    await client.query(statement);
    await work();
    await client.query('rollback');
  };

  it.each(LOCKS)('%s, other writes are committed, and those that wait follow', async (_, statement, blocked) => {
    const done = new Set<string>();
    const write = async (name: string) => {
      await replica.write(name, held('a'));
      done.add(name);
    };
    let all: Promise<void>[] = [];
    await locking(statement, async () => {
      all = LEASES.map(write);
      await Promise.all(all.filter((_, n) => !blocked.includes(LEASES[n]!)));
      // once it is known which are locked, nothing holds up the others
      const started = performance.now();
      for (let round = 0; round < 5; round++) await Promise.all(LEASES.filter((name) => !blocked.includes(name)).map(write));
      expect(performance.now() - started).toBeLessThan(blocked.length > 0 ? 5_000 : 8_000);
      expect(LEASES.filter((name) => !done.has(name))).toEqual(blocked);
      await replica.postgres.checkWrites();
    });
    await Promise.all(all);
  });

  it('the row of a lease, its writes fail after ten seconds, and the log names the session', async () => {
    await locking(`select from objects where path = 'ns/lease-7' for update`, async () => {
      const [blocked] = await Promise.allSettled([replica.write('lease-7', held('a'))]);
      expect(blocked.status).toBe('rejected');
    });
    await replica.write('lease-7', held('a'));
  });

  it('the row of a namespace, creations in it wait, and renewals do not', async () => {
    let creation = Promise.resolve();
    let created = false;
    await locking(`select from objects where path = 'ns' for update`, async () => {
      creation = replica.create('in-locked-namespace', held('a')).then(() => void (created = true));
      for (let round = 0; round < 5; round++) await Promise.all(LEASES.map((name) => replica.write(name, held('a'))));
      expect(created).toBe(false);
    });
    await creation;
  });

  it('the rows of terms, takeovers are committed, and their terms follow with the next comparison', async () => {
    await locking('select from lease_term for update', async () => {
      await replica.write('lease-1', held('b'));
    });
    await replica.postgres.terms.comparison.run(() => false);
    expect(summary(await replica.history('lease-1')).at(-1)).toBe('b Held');
  });

  it('the table of leases, writes wait and are committed when it ends', async () => {
    const all: Promise<unknown>[] = [];
    await locking('lock table objects in share mode', async () => {
      all.push(...LEASES.map((name) => replica.write(name, held('a'))));
      await pause(3_000);
    });
    await Promise.all(all);
  });

  it('the table of leases for reading, and another waits for it, writes wait behind that one until it is cancelled, or done', async () => {
    await using waiting = await connected(fixture.url);
    const all: Promise<unknown>[] = [];
    await locking('select from objects', async () => {
      const locked = waiting.query('begin; lock table objects in access exclusive mode; rollback');
      all.push(locked.catch((error: { code: string }) => expect(error.code).toBe('57014')));
      await pause(500);
      all.push(...LEASES.map((name) => replica.write(name, held('a'))));
      await pause(3_000);
    });
    await Promise.all(all);
  });

  it('a row that it has inserted, only its creation waits', async () => {
    await locking(
      `insert into objects (resource, path, uid, revision, terminating, data)
       select resource, 'ns/being-made', uid, revision, terminating, data from objects where path = 'ns/lease-1'`,
      async () => {
        const creation = replica.create('being-made', held('a')).then(
          () => 'created',
          () => 'refused',
        );
        await Promise.all(LEASES.map((name) => replica.write(name, held('a'))));
        expect(await creation).toBe('refused');
      },
    );
    await replica.create('being-made', held('a'));
  });
});
