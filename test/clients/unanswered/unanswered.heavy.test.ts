import { expect, test } from '@jest/globals';
import { describeWith, PGBOUNCER } from '../toolchain.js';
import { DEAD_CONNECTIONS } from './hangs.js';
import { missingFor, RECIPES } from './recipes.js';
import { runContest } from './run-contest.js';

describeWith([PGBOUNCER], 'the programs of the documentation, behind a pooler', () => {
  for (const recipe of RECIPES) {
    const missing = missingFor(recipe);
    if (missing !== undefined) test.skip(`${recipe.name}: skipped: ${missing}`, () => undefined);
  }

  test('begin no job once a rival leads, and have told their work to end, whatever leaves renewals without an answer', async () => {
    const outcomes = await runContest({ recipes: RECIPES.filter((recipe) => missingFor(recipe) === undefined), seconds: 0 });
    expect(outcomes.filter(({ late, untold }) => late > 0 || untold)).toEqual([]);
    expect(outcomes.filter(({ taken, hang }) => !taken && hang !== DEAD_CONNECTIONS)).toEqual([]);
  }, 1_500_000);
});
