import { beforeAll, expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { describeWith, PGBOUNCER } from '../../clients/toolchain.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { serverUrl } from '../../support/test-database.js';
import { openFixture } from '../storage/postgres-fixture.js';
import { LeaseClient } from './lease-client.js';

describeWith([PGBOUNCER], 'behind PgBouncer in transaction mode', () => {
  let url: string;

  const fixture = forAllTests(() => openFixture(1));
  const bouncer = forAllTests(() => startPgBouncer(serverUrl(), 'transaction'));
  beforeAll(async () => {
    url = bouncer.url(fixture.url);
    await fixture.client.query(`call coordination.lease_create_namespace('default')`);
    await fixture.client
      .query(`create table public.account (id integer primary key, token bigint not null); insert into public.account values (1, 0);
      create trigger fence before update on public.account for each row execute function coordination.fence('default/lease-0')`);
  });

  test('clients that race for leases never hold one at the same time, and tokens rise from term to term', async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => LeaseClient.connect(url)));
    const deadline = Date.now() + 3_000;
    const run = async (client: LeaseClient, holder: string) => {
      while (Date.now() < deadline) {
        const name = `lease-${Math.floor(Math.random() * 3)}`;
        const { acquired, token } = await client.acquire(name, holder);
        if (!acquired) continue;
        if (Math.random() < 0.5) expect(await client.renew(name, holder, token)).toMatchObject({ renewed: true, token });
        expect(await client.release(name, holder, token)).toMatchObject({ released: true });
      }
    };
    await Promise.all(clients.map((client, i) => run(client, `holder-${i}`)));
    await Promise.all(clients.map((client) => client.close()));
    const log = await fixture.rows<{ path: string; holder: string; transitions: number }>(`
      select path, data::json -> 'spec' ->> 'holderIdentity' as holder, (data::json -> 'spec' ->> 'leaseTransitions')::int as transitions
      from revision_log where resource = 'leases.coordination.k8s.io' order by revision`);
    expect(log.length).toBeGreaterThan(20);
    for (const path of new Set(log.map((row) => row.path))) {
      const states = log.filter((row) => row.path === path);
      states.forEach(({ holder, transitions }, i) => {
        const before = states[i - 1];
        // a term begins with a lease that nobody holds, and counts once
        if (!before || before.holder === holder) return;
        expect([before.holder, holder]).toContain('');
        expect(transitions).toBe(before.transitions + (holder === '' ? 0 : 1));
      });
    }
  });

  test('a fenced transaction is one of the pooler, and a stale one fails there as well', async () => {
    const [old, next] = [await LeaseClient.connect(url), await LeaseClient.connect(url)];
    const { token } = await old.acquire('lease-0', 'old');
    await old.session.query('begin');
    await old.session.query('select coordination.lease_assert($1, $2, $3)', ['default', 'lease-0', token]);
    await old.session.query('update public.account set token = $1', [token]);
    await next.release('lease-0', 'old');
    const taken = await next.acquire('lease-0', 'next');
    await expect(old.session.query('commit')).rejects.toMatchObject({ code: 'LS001' });
    await next.session.query('update public.account set token = $1', [taken.token]);
    await expect(old.session.query('update public.account set token = $1', [token])).rejects.toMatchObject({ code: 'LS001' });
    expect(await fixture.rows('select token from public.account')).toEqual([{ token: taken.token }]);
    await Promise.all([old.close(), next.close()]);
  });
});
