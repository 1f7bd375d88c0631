import { createEmptyDatabase } from '../../support/test-database.js';
import { objectStoreSuite } from '../../suites/object-store.suite.js';
import { openTestStore } from './open-test-store.js';

for (const listen of [true, false]) {
  objectStoreSuite(`PostgresStore ${listen ? 'that listens' : 'that polls'}`, async () => {
    const database = await createEmptyDatabase();
    const store = await openTestStore(database.url, { listen });
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
