import { ElectionSimulation, seeded } from '../../../test/support/election-simulation.js';

const SCHEDULES = 10_000;
const TROUBLED_SECONDS = 60;
/** The longest that a jump of the clock can hold up an election, and time to elect. */
const LARGEST_JUMP = 40;
const QUIET_SECONDS = LARGEST_JUMP + 110;

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
  return [...simulation.violations, ...(simulation.isSettled() ? [] : [`the best does not lead after ${QUIET_SECONDS} quiet seconds`])];
}

test(`in ${SCHEDULES} schedules of joins, leaves, deaths, stalls and clock jumps: one leader at most, the best one at last, and nobody asked too often`, () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= SCHEDULES && failures.length < 5; seed++) {
    const [first] = run(seed);
    if (first !== undefined) failures.push(`seed ${seed}: ${first}`);
  }
  expect(failures).toEqual([]);
});
