import { createEmptyDatabase } from '../../support/test-database.js';
import { unwatchedStoreSuite } from '../../suites/object-store.suite.js';
import type { Pooling } from '../../../src/storage/database/session/database-options.js';
import { openTestStore } from './open-test-store.js';

const forms: Record<string, Pooling> = {
  'that it finds': 'auto',
  'behind a pooler, without LISTEN and named statements': 'transaction',
};

for (const [form, pooling] of Object.entries(forms)) {
  unwatchedStoreSuite(`PostgresStore ${form}`, async () => {
    const database = await createEmptyDatabase();
    const store = await openTestStore(database.url, { database: { url: database.url, pooling } });
    return {
      store,
      compact: (revision) => store.compactor.compact(revision),
      close: async () => {
        await store.close();
        await database.drop();
      },
    };
  });
}
