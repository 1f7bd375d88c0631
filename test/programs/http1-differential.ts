import { findUpstream, MissingUpstreamError } from '../../bench/contenders/find-upstream.js';
import { startOwnServer } from '../differential/servers/own-server.js';
import { prepareServer } from '../differential/servers/prepare-server.js';
import { type StartedServer, startComparedUpstream } from '../differential/servers/upstream-server.js';
import { RAW_CASES } from '../http1/cases.js';
import { compareRaw, judge } from '../http1/compare-raw.js';

/** `npm run program http1-differential`: sends bytes over HTTP/1.1 to a kube-apiserver and to this server, and compares what they make of them. */
const started: StartedServer[] = [];
try {
  const upstream = await startComparedUpstream(findUpstream());
  started.push(upstream);
  const ours = await startOwnServer();
  started.push(ours);
  await Promise.all([upstream, ours].map(({ url }) => prepareServer(url)));
  const counts = { alike: 0, declared: 0, undeclared: 0 };
  for (const each of RAW_CASES) {
    const compared = await compareRaw(each, upstream.url, ours.url);
    const verdict = judge(compared);
    counts[verdict] += 1;
    if (verdict !== 'undeclared') continue;
    console.log(`\n${each.name}`);
    console.log(`  kube-apiserver: ${compared.upstream}`);
    console.log(`  this server:    ${compared.ours}`);
  }
  console.log(`${RAW_CASES.length} cases: ${counts.alike} alike, ${counts.declared} declared, ${counts.undeclared} undeclared`);
  process.exitCode = counts.undeclared === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof MissingUpstreamError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
} finally {
  await Promise.all(started.map(({ stop }) => stop()));
}
