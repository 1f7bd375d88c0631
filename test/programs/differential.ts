import { type DifferentialOptions, HELP, parseDifferentialOptions } from '../differential/differential-options.js';
import { runDifferential } from '../differential/differential-run.js';
import { findUpstream, MissingUpstreamError } from '../../bench/contenders/find-upstream.js';
import { setUpAudit } from '../differential/audit/audited-servers.js';
import { metricShapes } from '../differential/metrics/metric-shapes.js';
import { undeclaredMetrics } from '../differential/metrics/undeclared-metrics.js';
import { startOwnServer } from '../differential/servers/own-server.js';
import { passCompaction } from '../differential/servers/past-compaction.js';
import { prepareServer } from '../differential/servers/prepare-server.js';
import { type StartedServer, startComparedUpstream } from '../differential/servers/upstream-server.js';

/** `npm run program differential`: asks a kube-apiserver and this server the same questions, and compares their answers. */
try {
  const options = parseDifferentialOptions(process.argv.slice(2));
  if (options) await main(options);
  else console.log(HELP);
} catch (error) {
  if (!(error instanceof MissingUpstreamError || error instanceof TypeError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function main(options: DifferentialOptions): Promise<void> {
  const running = (url: string): StartedServer => ({ url, stop: () => Promise.resolve() });
  const programs = options.upstream === undefined ? findUpstream(options) : undefined;
  const started: StartedServer[] = [];
  const stopAll = () => Promise.all(started.splice(0).map(({ stop }) => stop()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stopAll().then(() => process.exit(130)));
  try {
    const audit = options.audit ? await setUpAudit() : undefined;
    if (audit) started.push({ url: '', stop: audit.stop });
    const upstream =
      options.upstream === undefined && programs
        ? await startComparedUpstream(programs, undefined, audit?.flags.upstream)
        : running(options.upstream ?? '');
    started.push(upstream);
    const ours = options.ours === undefined ? await startOwnServer(audit?.flags.ours, options.replicas) : running(options.ours);
    started.push(ours);
    await Promise.all([upstream, ours].map(({ url }) => prepareServer(url)));
    if ('restart' in upstream) await passCompaction(upstream);
    console.log(`seed ${options.seed}: ${upstream.url} against ${ours.url}`);
    const urls = { upstream: [upstream.url], ours: [ours.url, ...(ours.replicas ?? [])], logs: audit?.logs };
    const report = await runDifferential(urls, options, (line) => console.log(line));
    const metrics = audit ? undeclaredMetrics(await metricShapes(upstream.url), await metricShapes(ours.url)) : [];
    for (const line of metrics) console.log(`metric: ${line}`);
    for (const line of report.lines(options.seed)) console.log(line);
    if (options.showDeclared) for (const line of report.coveredLines(options.seed)) console.log(line);
    process.exitCode = report.kinds.size + metrics.length + report.suspicious().length === 0 ? 0 : 1;
  } finally {
    await stopAll();
  }
}
