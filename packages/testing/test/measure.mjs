// Prints what a start takes until the first answer, as a program and in this process, its memory, and what a reset takes. With a folder
// of upstream's programs (docs/development/programs.md) as argument, kube-apiserver with etcd starts in turns with it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer } from '../dist/testing.js';

const ROUNDS = 5;
const PORT = 18_443;
const [, , upstream] = process.argv;
const leases = (url, token) =>
  new Promise((resolve, reject) => {
    const options = { agent: false, rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } };
    const request = https.get(`${url}/apis/coordination.k8s.io/v1/leases`, options, (answer) => resolve(answer.resume().statusCode));
    request.on('error', reject);
  });
const answered = async (url, token) => {
  while ((await leases(url, token).catch(() => 0)) !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
};
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1].toFixed(1);
const residentOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const dir = mkdtempSync(path.join(tmpdir(), 'measure-'));
const figures = { program: [], resident: [], upstream: [], upstreamResident: [], process: [], reset: [] };

async function startProgram() {
  const began = performance.now();
  const kubeconfig = path.join(dir, 'kubeconfig');
  const cli = new URL('../dist/cli.js', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--max-semi-space-size=1', cli, `--kubeconfig-out=${kubeconfig}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'));
  await answered(clusters[0].cluster.server, users[0].user.token);
  figures.program.push(performance.now() - began);
  figures.resident.push(residentOf(child.pid));
  child.stdin.end();
  await once(child, 'exit');
}

async function startUpstream() {
  const own = mkdtempSync(path.join(dir, 'upstream-'));
  spawnSync('openssl', ['genrsa', '-out', path.join(own, 'sa.key'), '2048'], { stdio: 'ignore' });
  writeFileSync(path.join(own, 'tokens.csv'), 'admin-token,admin,admin,"system:masters"');
  const began = performance.now();
  const [client, peer] = [PORT + 1, PORT + 2].map((port) => `http://127.0.0.1:${port}`);
  const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`];
  const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`, `--data-dir=${own}/etcd`];
  const etcd = spawn(path.join(upstream, 'etcd'), [...urls, ...cluster], { stdio: 'ignore' });
  const keys = ['key-file', 'signing-key-file'].map((name) => `--service-account-${name}=${own}/sa.key`);
  const flags = [`--etcd-servers=${client}`, `--secure-port=${PORT}`, '--bind-address=127.0.0.1', `--cert-dir=${own}/certs`, ...keys];
  const users = [
    '--service-account-issuer=https://kubernetes.default.svc',
    `--token-auth-file=${own}/tokens.csv`,
    '--authorization-mode=RBAC',
  ];
  const server = spawn(path.join(upstream, 'kube-apiserver'), [...flags, ...users], { stdio: 'ignore' });
  await answered(`https://127.0.0.1:${PORT}`, 'admin-token');
  figures.upstream.push(performance.now() - began);
  figures.upstreamResident.push(residentOf(server.pid) + residentOf(etcd.pid));
  for (const child of [server, etcd]) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function startHere() {
  const began = performance.now();
  const server = await startTestServer();
  await answered(server.url, server.token);
  figures.process.push(performance.now() - began);
  for (let i = 0; i < 20; i++) await server.takeOver({ name: `lease-${i}` });
  const resetBegan = performance.now();
  await server.reset();
  figures.reset.push(performance.now() - resetBegan);
  await server.close();
}

try {
  await startProgram(); // fills the compile cache
  await startHere();
  for (const list of Object.values(figures)) list.length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await startProgram();
    if (upstream) await startUpstream();
    await startHere();
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(`program: ${median(figures.program)} ms to the first answer, ${median(figures.resident)} MB resident`);
console.log(`in a process: ${median(figures.process)} ms to the first answer; reset of 20 leases: ${median(figures.reset)} ms`);
if (upstream) console.log(`kube-apiserver and etcd: ${median(figures.upstream)} ms, ${median(figures.upstreamResident)} MB resident`);
