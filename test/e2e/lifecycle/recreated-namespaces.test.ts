import { expect, test } from '@jest/globals';
import { forAllTests } from '../../support/for-tests.js';
import { ask } from '../../support/http-client.js';
import { startServerProcess } from '../../support/server-process.js';
import { createTestDatabase } from '../../support/test-database.js';

const ROUNDS = 15;

const database = forAllTests(() => createTestDatabase());
const servers = [1, 2].map(() => forAllTests(() => startServerProcess({ databaseUrl: database.url })));

const uidOf = (object: object) => (object as { metadata?: { uid?: string } }).metadata?.uid;

test('two replicas leave a namespace alone that was deleted and created again', async () => {
  const [one = '', two = ''] = servers.map(({ url }) => `${url}/api/v1/namespaces`);
  const lost: string[] = [];
  const round = async (name: string) => {
    const make = (url: string) => ask(url, { method: 'POST', body: { metadata: { name } } });
    expect((await make(one)).status).toBe(201);
    await ask(`${two}/${name}`, { method: 'DELETE' });
    let uid: string | undefined;
    while (uid === undefined) {
      const { status, json } = await make(two);
      if (status === 201) uid = uidOf(json);
    }
    // Once another namespace has come and gone, both replicas have processed everything before it.
    const later = `${name}-later`;
    await ask(one, { method: 'POST', body: { metadata: { name: later } } });
    await ask(`${one}/${later}`, { method: 'DELETE' });
    while ((await ask(`${two}/${later}`)).status !== 404) await new Promise((resolve) => setTimeout(resolve, 10));
    const { json } = await ask(`${one}/${name}`);
    const { spec } = json as { spec?: { finalizers?: string[] } };
    if (uidOf(json) !== uid || !spec?.finalizers?.includes('kubernetes')) lost.push(name);
  };
  await Promise.all(
    [0, 1, 2].map(async (lane) => {
      for (let n = 0; n < ROUNDS; n++) await round(`ns-${lane}-${n}`);
    }),
  );
  expect(lost).toEqual([]);
});
