import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_ATTACKS } from './all-attacks.js';
import { Attacker } from './attacker.js';
import type { AttackerReport, AttackerTask } from './attacker-report.js';

/** The report is sent after this time even if an attack is still waiting. */
const GRACE_MS = 1000;
const REPORT_MS = 500;
/** Attackers would have machines of their own: here they get what the server and the innocent client leave of the cores. */
const NICENESS = 19;

/** The process of one attack: reads its task from an argument, and reports by messages until its parent ends it. */
async function main(): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? '{}') as AttackerTask;
  const attack = ALL_ATTACKS.find(({ name }) => name === task.name);
  if (!attack) throw new Error(`no attack is called ${task.name}`);
  process.on('disconnect', () => process.exit(0));
  setPriority(NICENESS);
  const attacker = new Attacker(task);
  const report = (isLast: boolean): AttackerReport => {
    const { bytesSent, bytesReceived, connections, refused } = attacker.meter;
    return { bytesSent, bytesReceived, connections, refused, notes: attacker.notes, isLast };
  };
  const timer = setInterval(() => process.send?.(report(false)), REPORT_MS);
  await Promise.race([attack.run(attacker), sleep(task.seconds * 1000 + GRACE_MS)]);
  clearInterval(timer);
  // Connections stay open until the parent has measured what the server holds for them.
  process.send?.(report(true));
}

await main();
