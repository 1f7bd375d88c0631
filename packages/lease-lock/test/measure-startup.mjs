// Measures the time from the start of `coordination-apiserver lock` to its command, which is when the lock is held, beside a bare Node.js.
// Needs the built server (npm run build); starts one with the embedded PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const RUNS = Number(process.argv[2] ?? 40);
const MAIN = path.join(import.meta.dirname, '../../../dist/main.js');
const dir = mkdtempSync(path.join(tmpdir(), 'measure-'));
const server = spawn(process.execPath, [MAIN, '--secure-port=0', `--data-dir=${dir}`], { stdio: ['ignore', 'pipe', 'inherit'] });
await output(server, /serving at/);

const env = {
  ...process.env,
  KUBECONFIG: path.join(dir, 'admin.kubeconfig'),
  PGPASSWORD: readFileSync(path.join(dir, 'postgres/password'), 'utf8').trim(),
};
const database = `postgresql://coordination@${encodeURIComponent(path.join(dir, 'postgres/run'))}/postgres`;
const ways = {
  'node -e 0': ['-e', 'console.log(0)'],
  'at a server': [MAIN, 'lock', 'measured', '--', 'echo', 'held'],
  'at its database': [MAIN, 'lock', 'measured-too', `--database-url=${database}`, '--', 'echo', 'held'],
};
for (const [name, args] of Object.entries(ways)) {
  const times = [];
  for (let run = 0; run < RUNS; run++) times.push(await timeOf(args));
  times.sort((one, other) => one - other);
  console.log(`${name}: ${times[RUNS >> 1].toFixed(0)} ms, 90 % within ${times[Math.floor(RUNS * 0.9)].toFixed(0)} ms`);
}
server.kill('SIGTERM');
await once(server, 'exit');
rmSync(dir, { recursive: true, force: true });

async function timeOf(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  const time = performance.now() - start;
  if (!Buffer.isBuffer(output)) throw new Error(`it ended with ${output} before its command ran`);
  if (child.exitCode === null) await once(child, 'exit');
  return time;
}

function output(child, pattern) {
  let seen = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      seen += chunk;
      if (pattern.test(seen)) resolve();
    });
    child.on('exit', () => reject(new Error(`the server ended:\n${seen}`)));
  });
}
