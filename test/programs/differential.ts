import { type DifferentialOptions, HELP, parseDifferentialOptions } from '../differential/differential-options.js';
import { runDifferential } from '../differential/differential-run.js';
import { findUpstream, MissingUpstreamError } from '../../bench/contenders/find-upstream.js';
import { startOwnServer } from '../differential/servers/own-server.js';
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
    const upstream = options.upstream === undefined && programs ? await startComparedUpstream(programs) : running(options.upstream ?? '');
    started.push(upstream);
    const ours = options.ours === undefined ? await startOwnServer() : running(options.ours);
    started.push(ours);
    await Promise.all(started.map(({ url }) => prepareServer(url)));
    console.log(`seed ${options.seed}: ${upstream.url} against ${ours.url}`);
    const report = await runDifferential({ upstream: upstream.url, ours: ours.url }, options, (line) => console.log(line));
    for (const line of report.lines(options.seed)) console.log(line);
    if (options.showDeclared) for (const line of report.coveredLines(options.seed)) console.log(line);
    process.exitCode = report.kinds.size === 0 && report.suspicious().length === 0 ? 0 : 1;
  } finally {
    await stopAll();
  }
}
