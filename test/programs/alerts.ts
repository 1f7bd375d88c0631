import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Bed } from '../alerts/bed.js';
import { type Cause, CAUSES } from '../alerts/causes.js';
import { PrometheusProcess } from '../alerts/prometheus-process.js';
import { alertRules } from '../e2e/monitoring/alert-rules.js';
import { eventually } from '../support/eventually.js';

/**
 * `npm run program alerts`: what each alert tells of is made to happen to two servers that a Prometheus scrapes, with a minute of the rules as a second.
 * The alert fires, what its text names says what is wrong, and the alert ends with its cause. `--only`: alerts, separated by commas; `--port`: the
 * first of three. Needs Debian's prometheus, kubectl, and for a full disk the right to mount.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    port: { type: 'string', default: '18000' },
  },
});
const PATIENCE_MS = 150_000;

async function main(): Promise<void> {
  const never = alertRules().filter(({ alert }) => !CAUSES.some(({ alerts }) => alerts.includes(alert)));
  if (never.length > 0) throw new Error(`no cause is known of ${never.map(({ alert }) => alert).join(', ')}`);
  const only = values.only.split(',').filter(Boolean);
  const wanted = CAUSES.filter(({ alerts }) => only.length === 0 || alerts.some((alert) => only.includes(alert)));
  let failed = 0;
  for (const cause of wanted) {
    const problem = await run(cause).catch((error: unknown) => String(error));
    failed += problem ? 1 : 0;
    console.log(`${problem ? 'FAILED' : 'ok'}  ${cause.alerts.join(', ')}: ${cause.what}${problem ? `\n${problem}` : ''}`);
  }
  console.log(`${wanted.length - failed} of ${wanted.length} causes are told of, and so is their end`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function run({ alerts, happen, during, follow, says, end, lasts }: Cause): Promise<string | undefined> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'alerts-'));
  const port = Number(values.port);
  await using bed = new Bed(dir.path, port);
  await bed.start();
  await using prometheus = await PrometheusProcess.start(
    dir.path,
    port + 2,
    bed.servers.map(({ url }) => url),
  );
  const fire = (are: boolean) => async () => {
    const firing = await prometheus.firing();
    return alerts.every((alert) => firing.has(alert) === are);
  };
  await sleep(12_000);
  if (!(await fire(false)())) return 'an alert fires without a cause';
  await happen?.(bed);
  const repeated = during === undefined ? undefined : repeat(() => during(bed));
  try {
    await eventually(fire(true), () => `only ${JSON.stringify([alerts])} of these had to fire`, PATIENCE_MS);
  } finally {
    await repeated?.stop();
  }
  const said = await follow(bed);
  if (!says.test(said)) return `its text's commands do not say ${says}:\n${said.slice(-3_000)}`;
  await end?.(bed);
  if (!lasts) await eventually(fire(false), () => 'it still fires after the end of its cause', PATIENCE_MS);
  return undefined;
}

function repeat(work: () => unknown): { readonly stop: () => Promise<void> } {
  let isOver = false;
  const done = (async () => {
    while (!isOver) {
      await Promise.resolve(work()).catch(() => undefined);
      await sleep(100);
    }
  })();
  return { stop: () => ((isOver = true), done) };
}

await main();
