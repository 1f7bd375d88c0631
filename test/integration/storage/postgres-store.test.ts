import { createEmptyDatabase } from '../../support/test-database.js';
import { objectStoreSuite } from '../../suites/object-store.suite.js';
import type { OpenPostgresStoreOptions } from '../../../src/storage/postgres/open-postgres-store.js';
import { openTestStore } from './open-test-store.js';

const forms: Record<string, Partial<OpenPostgresStoreOptions> & { preparedStatements?: boolean }> = {
  'that listens': {},
  'behind a pooler, without LISTEN and named statements': { listen: false, preparedStatements: false },
};

for (const [form, { preparedStatements, ...options }] of Object.entries(forms)) {
  objectStoreSuite(`PostgresStore ${form}`, async () => {
    const database = await createEmptyDatabase();
    const store = await openTestStore(database.url, { ...options, database: { url: database.url, preparedStatements } });
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
