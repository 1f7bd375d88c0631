import { type DifferentialOptions, HELP, parseDifferentialOptions } from '../differential/differential-options.js';
import { runDifferential } from '../differential/differential-run.js';
import { findUpstream, MissingUpstreamError } from '../../bench/contenders/find-upstream.js';
import { type AuditSetup, setUpAudit } from '../differential/audit/audited-servers.js';
import { metricShapes } from '../differential/metrics/metric-shapes.js';
import { undeclaredMetrics } from '../differential/metrics/undeclared-metrics.js';
import { startOwnServer } from '../differential/servers/own-server.js';
import { passCompaction } from '../differential/servers/past-compaction.js';
import { prepareServer } from '../differential/servers/prepare-server.js';
import { type StartedServer, startComparedUpstream } from '../differential/servers/upstream-server.js';

/** `npm run program differential`: asks a kube-apiserver and this server the same questions, and compares their answers. */
try {
  const options = optionsOrUsage();
  if (options) await main(options);
} catch (error) {
  if (!(error instanceof MissingUpstreamError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

/** Undefined where there is nothing to do: help was asked for, or the command line is wrong. */
function optionsOrUsage(): DifferentialOptions | undefined {
  try {
    const options = parseDifferentialOptions(process.argv.slice(2));
    if (!options) console.log(HELP);
    return options;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
    return undefined;
  }
}

/** Servers that run already are left running. */
const running = (url: string): StartedServer => ({ url, stop: () => Promise.resolve() });

async function startOriginal({ upstream: given, ...programs }: DifferentialOptions, audit: AuditSetup | undefined) {
  return given === undefined ? await startComparedUpstream(findUpstream(programs), undefined, audit?.flags.upstream) : running(given);
}

async function compareMetrics(audit: AuditSetup | undefined, upstream: StartedServer, ours: StartedServer): Promise<string[]> {
  return audit ? undeclaredMetrics(await metricShapes(upstream.url), await metricShapes(ours.url)) : [];
}

async function main(options: DifferentialOptions): Promise<void> {
  const started: Pick<StartedServer, 'stop'>[] = [];
  const stopAll = () => Promise.all(started.splice(0).map((each) => each.stop()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll().then(() => process.exit(130)));
  try {
    const audit = options.audit ? await setUpAudit() : undefined;
    if (audit) started.push(audit);
    const upstream = await startOriginal(options, audit);
    started.push(upstream);
    const ours = options.ours === undefined ? await startOwnServer(audit?.flags.ours, options.replicas) : running(options.ours);
    started.push(ours);
    await Promise.all([upstream, ours].map(({ url }) => prepareServer(url)));
    if ('restart' in upstream) await passCompaction(upstream);
    console.log(`seed ${options.seed}: ${upstream.url} against ${ours.url}`);
    const urls = { upstream: [upstream.url], ours: [ours.url, ...(ours.replicas ?? [])], logs: audit?.logs };
    const report = await runDifferential(urls, options, (line) => console.log(line));
    const metrics = await compareMetrics(audit, upstream, ours);
    for (const line of metrics) console.log(`metric: ${line}`);
    for (const line of report.lines(options.seed)) console.log(line);
    if (options.showDeclared) for (const line of report.coveredLines(options.seed)) console.log(line);
    process.exitCode = report.kinds.size + metrics.length + report.suspicious().length === 0 ? 0 : 1;
  } finally {
    await stopAll();
  }
}
