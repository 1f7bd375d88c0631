import { ElectionSimulation, seeded } from '../../../test/support/election-simulation.js';

const SCHEDULES = 10_000;
const TROUBLED_SECONDS = 60;
/** The longest that a jump of the clock can hold up an election, and time to elect. */
const LARGEST_JUMP = 40;
const QUIET_SECONDS = LARGEST_JUMP + 110;
/** After the best leads: time to wake up for those who still sleep, and for how long nobody has any reason to be asked then. */
const WAKING_SECONDS = 90;
const CALM_SECONDS = 15;
/** Waiting for that takes longer than all the rest. */
const CALM_IN_EVERY = 4;

/** Trouble for a while, then none: what went wrong, if anything did. */
function run(seed: number): string[] {
  const random = seeded(seed);
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

/** The best leads: what goes on all the same. */
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

test(`in ${SCHEDULES} schedules of joins, leaves, deaths, stalls and clock jumps: one leader at most, the best one at last, and nobody asked too often`, () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= SCHEDULES && failures.length < 5; seed++) {
    const [first] = run(seed);
    if (first !== undefined) failures.push(`seed ${seed}: ${first}`);
  }
  expect(failures).toEqual([]);
});
