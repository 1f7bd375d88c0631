import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findUpstream } from '../../bench/contenders/find-upstream.js';
import { startComparedUpstream } from '../differential/servers/upstream-server.js';
import { identitiesOf, refusedProxiesOf } from '../certificates/identity.js';
import { pemOf } from '../certificates/issue.js';
import { answersTo, makeProxies } from '../certificates/proxy-requests.js';
import { makeShapes } from '../certificates/shapes.js';

/** `npm run program record-identities`: records in test/certificates/recorded.json who a kube-apiserver takes the clients of all shapes for, and the users whom front proxies name. */
const programs = findUpstream({ apiserver: undefined, etcd: undefined });
const dir = await mkdtemp(path.join(tmpdir(), 'record-identities-'));
const place = async (name: string, text: string) => {
  await writeFile(path.join(dir, name), text);
  return path.join(dir, name);
};
const shapes = makeShapes();
const proxies = makeProxies();
const authorities = await place('authorities.crt', shapes.flatMap(({ trusted }) => trusted.map(pemOf)).join(''));
const proxyAuthority = await place('proxies.crt', pemOf(proxies.authority));
const flags = Object.entries(proxies.flags).map(([name, values]) => `--requestheader-${name}=${values.join(',')}`);

/** Runs a kube-apiserver with these flags for as long as `use` takes. */
async function withUpstream<T>(more: readonly string[], use: (port: number) => Promise<T>): Promise<T> {
  await using server = await startComparedUpstream(programs, undefined, [
    '--anonymous-auth=false',
    '--authorization-mode=AlwaysAllow',
    ...more,
  ]);
  return await use(Number(new URL(server.url).port));
}

try {
  if (new Set(shapes.map(({ name }) => name)).size < shapes.length) throw new Error('two shapes have the same name');
  const [certificates, headers] = await withUpstream(
    [`--client-ca-file=${authorities}`, `--requestheader-client-ca-file=${proxyAuthority}`, ...flags],
    async (port) => [await identitiesOf(port, shapes), await answersTo(port, proxies)],
  );
  // The same certificates as those of front proxies, none of which has to have a name.
  const named = flags.filter((flag) => !flag.includes('allowed-names'));
  const refusedProxies = await withUpstream([`--requestheader-client-ca-file=${authorities}`, ...named], (port) =>
    refusedProxiesOf(port, shapes),
  );
  const file = path.join(import.meta.dirname, '../certificates/recorded.json');
  await writeFile(file, `${JSON.stringify({ certificates, refusedProxies, headers }, null, 1)}\n`);
} finally {
  await rm(dir, { recursive: true });
}
