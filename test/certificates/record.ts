import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findUpstream } from '../../bench/contenders/find-upstream.js';
import { startUpstream } from '../differential/servers/upstream-server.js';
import { identityOf, showing } from './identity.js';
import { pemOf } from './issue.js';
import { answersTo, makeProxies } from './proxy-requests.js';
import { makeShapes } from './shapes.js';

/** Records in recorded.json who a kube-apiserver takes the clients of all shapes for, and the users whom front proxies name. */
const programs = findUpstream({ apiserver: undefined, etcd: undefined });
const dir = await mkdtemp(path.join(tmpdir(), 'record-identities-'));
const place = async (name: string, text: string) => {
  await writeFile(path.join(dir, name), text);
  return path.join(dir, name);
};
const shapes = makeShapes();
const proxies = makeProxies();
const server = await startUpstream(programs, undefined, [
  '--anonymous-auth=false',
  '--authorization-mode=AlwaysAllow',
  `--client-ca-file=${await place('clients.crt', shapes.flatMap(({ trusted }) => trusted.map(pemOf)).join(''))}`,
  `--requestheader-client-ca-file=${await place('proxies.crt', pemOf(proxies.authority))}`,
  ...Object.entries(proxies.flags).map(([name, values]) => `--requestheader-${name}=${values.join(',')}`),
]);
const port = Number(new URL(server.url).port);
try {
  const certificates: Record<string, unknown> = {};
  for (const shape of shapes) {
    if (shape.name in certificates) throw new Error(`two shapes are called ${shape.name}`);
    try {
      certificates[shape.name] = await identityOf(port, showing(shape));
    } catch (error) {
      throw new Error(`cannot record ${shape.name}`, { cause: error });
    }
  }
  const headers = await answersTo(port, proxies);
  const file = path.join(import.meta.dirname, 'recorded.json');
  await writeFile(file, `${JSON.stringify({ certificates, headers }, null, 1)}\n`);
} finally {
  await server.stop();
  await rm(dir, { recursive: true });
}
