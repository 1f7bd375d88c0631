import { expect, test } from '@jest/globals';
import { createEmptyDatabase } from '../../support/test-database.js';
import { buildVersion, earlierSchemas } from '../../upgrade/build-version.js';
import { runUpgrade } from '../../upgrade/run-upgrade.js';

const TIMEOUT_MS = 400_000;
const commits = earlierSchemas(2);
if (commits.length === 0) test.skip('a rolling upgrade: skipped: this clone has no commits of earlier schemas', () => undefined);

// How long a write waits is judged by `npm run upgrade-test`: here it shares the machine with other tests.
for (const commit of commits) {
  test(
    `a rolling upgrade from ${commit.slice(0, 8)} under load, and the way back, lose, miss and double nothing`,
    async () => {
      await using database = await createEmptyDatabase();
      const result = await runUpgrade(buildVersion(commit), {
        ...{ databaseUrl: database.url, periodMs: 500, phaseMs: 1_000, kills: 2 },
        say: () => undefined,
      });
      expect(result.problems).toEqual([]);
      expect(result.termsAfterS).toBeLessThanOrEqual(70);
      expect(result.writes).toBeGreaterThan(100);
    },
    TIMEOUT_MS,
  );
}
