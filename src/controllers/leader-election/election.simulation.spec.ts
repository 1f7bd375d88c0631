import { Random } from '../../../test/fuzz/random.js';
import { ElectionSimulation } from '../../../test/support/election-simulation.js';

const SCHEDULES = 10_000;
const TROUBLED_SECONDS = 60;
/** How long a jump of the clock can delay an election, plus the time to elect. */
const LARGEST_JUMP = 40;
const QUIET_SECONDS = LARGEST_JUMP + 110;
/** Time for sleeping candidates to wake up once the best one leads; after that, there is no reason to ping anybody. */
const WAKING_SECONDS = 90;
const CALM_SECONDS = 15;
/** Calm periods are rarer, because waiting for them takes longer than everything else. */
const CALM_IN_EVERY = 4;

/** A period with faults, then one without; returns what went wrong. */
function run(seed: number): string[] {
  const seeded = new Random(seed);
  const random = () => seeded.fraction();
  const simulation = new ElectionSimulation(random);
  simulation.join();
  while (simulation.time < TROUBLED_SECONDS) {
    const event = random();
    if (event < 0.06) simulation.join();
    else if (event < 0.1) simulation.leave();
    else if (event < 0.16) simulation.stall(1 + random() * 30);
    else if (event < 0.175) simulation.die();
    else if (event < 0.195) simulation.jump((random() * 2 - 1) * (LARGEST_JUMP / 2));
    simulation.tick();
  }
  if (simulation.isEmpty) simulation.join();
  const end = simulation.time + QUIET_SECONDS;
  while (simulation.time < end && !simulation.isSettled()) simulation.tick();
  if (!simulation.isSettled()) return [...simulation.violations, `the best does not lead after ${QUIET_SECONDS} quiet seconds`];
  return [...simulation.violations, ...(seed % CALM_IN_EVERY === 0 ? unrest(simulation) : [])];
}

/** Activity that continues although the best candidate leads. */
function unrest(simulation: ElectionSimulation): string[] {
  const before = simulation.violations.length;
  for (let second = 0; second < WAKING_SECONDS + CALM_SECONDS; second++) simulation.tick();
  const calmSince = simulation.time - CALM_SECONDS;
  return [
    ...simulation.violations.slice(before),
    ...simulation.askedSince(calmSince).map((name) => `${name} is asked after ${calmSince} for nothing`),
    ...(simulation.isSettled() ? [] : ['the best leads no longer']),
  ];
}

test(`in ${SCHEDULES} schedules of joins, leaves, deaths, stalls and clock jumps there is at most one leader, the best candidate leads in the end, and nobody is pinged too often`, () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= SCHEDULES && failures.length < 5; seed++) {
    const [first] = run(seed);
    if (first !== undefined) failures.push(`seed ${seed}: ${first}`);
  }
  expect(failures).toEqual([]);
});
