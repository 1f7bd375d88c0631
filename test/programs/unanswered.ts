import { parseArgs } from 'node:util';
import { startSharedPostgres } from '../support/shared-postgres.js';
import type { Outcome } from '../clients/unanswered/contest.js';
import { missingFor, RECIPES } from '../clients/unanswered/recipes.js';
import { runContest } from '../clients/unanswered/run-contest.js';

/**
 * `npm run program unanswered`: every program of the documentation leads behind a pooler that pauses or is used up, a socket that swallows, dead
 * connections, and asleep, in turn, while a rival goes straight at PostgreSQL; how many jobs were begun by two at once. Names of programs as arguments
 * run only those.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '3600' } },
});
const unknown = positionals.filter((name) => !RECIPES.some((recipe) => recipe.name === name));
if (unknown.length > 0) throw new Error(`no program is called ${unknown.join(', ')}: ${RECIPES.map(({ name }) => name).join(', ')}`);
const chosen = RECIPES.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const recipe of chosen) {
  const missing = missingFor(recipe);
  if (missing !== undefined) console.log(`${recipe.name} is skipped: ${missing}`);
}

const sum = (of: readonly Outcome[], figure: 'begun' | 'late' | 'taken' | 'untold'): number =>
  of.reduce((all, each) => all + Number(each[figure]), 0);

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
await using _shared = await startSharedPostgres();
const outcomes = await runContest({
  recipes: chosen.filter((recipe) => missingFor(recipe) === undefined),
  seconds: Number(values.seconds),
  signal: interrupted.signal,
  onRound: (round) =>
    console.log(
      `${new Date().toISOString()} ${round[0]?.hang}: ${sum(round, 'late')} late jobs, ${sum(round, 'taken')} of ${round.length} taken over`,
    ),
});

const HANGS = [...new Set(outcomes.map(({ hang }) => hang))];
const HEAD = ['jobs begun by two at once / rounds taken over / rounds', ...HANGS, 'jobs begun', 'not told'];
console.log(`\n${HEAD.join(' | ')}\n${HEAD.map(() => '---').join(' | ')}`);
for (const name of new Set(outcomes.map(({ contender }) => contender))) {
  const own = outcomes.filter(({ contender }) => contender === name);
  const cells = HANGS.map((hang) => own.filter((each) => each.hang === hang)).map(
    (of) => `${sum(of, 'late')} / ${sum(of, 'taken')} / ${of.length}`,
  );
  console.log([name, ...cells, sum(own, 'begun'), sum(own, 'untold')].join(' | '));
}
const [late, untold] = [sum(outcomes, 'late'), sum(outcomes, 'untold')];
console.log(
  `\n${sum(outcomes, 'begun')} jobs begun, ${late} of them by two at once; ${untold} times a holder had not told its work to end`,
);
process.exitCode = late + untold === 0 ? 0 : 1;
