// A Docker engine and the operations that the suite needs. Every call has a time limit.
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export const root = path.resolve(import.meta.dirname, '../..');
const MINUTE = 60_000;

function works(file, ...args) {
  try {
    execFileSync(file, args, { stdio: 'ignore', timeout: MINUTE });
    return true;
  } catch {
    return false;
  }
}

/** How long docker-compose waits for the engine, which may have to copy gigabytes. */
const PATIENCE = { COMPOSE_HTTP_TIMEOUT: '300' };

/** `docker compose`, or the older separate program. */
export const compose = works('docker', 'compose', 'version') ? ['docker', 'compose'] : ['docker-compose'];

/** Why nothing can be tested here; undefined if it can. */
export function missing() {
  if (!works('docker', 'info')) return 'no Docker engine answers';
  if (!works(compose[0], ...compose.slice(1), 'version')) return 'neither docker compose nor docker-compose is installed';
  if (!works('kubectl', 'version', '--client')) return 'kubectl is not installed';
  const text = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
  const pinned = [...new Set([...text.matchAll(/:-([^}]+@sha256:\w+)\}/g)].map(([, name]) => name))];
  return pinned.map(missingImage).find((reason) => reason !== undefined);
}

/** Why an image cannot be used; undefined if it can. */
export function missingImage(name) {
  if (works('docker', 'image', 'inspect', name) || works('docker', 'pull', '--quiet', name)) return undefined;
  return `the image ${name} is not there and cannot be pulled`;
}

export async function run(file, args, { timeout = MINUTE, env = {}, input } = {}) {
  const running = promisify(execFile)(file, args, {
    cwd: root,
    timeout,
    env: { ...process.env, ...PATIENCE, ...env },
    maxBuffer: 64 << 20,
  });
  if (input !== undefined) running.child.stdin.end(input);
  return (await running).stdout;
}

export const docker = (...args) => run('docker', args);

/** Builds an image under the name used in docker-compose.yml. */
export const build = (name, dir, ...args) =>
  run('docker', ['build', '--network=host', `--tag=${name}`, ...args, dir], { timeout: 20 * MINUTE });

export async function buildImages() {
  await build('coordination-apiserver', '.', ...(await buildBase()));
  await build('coordination-apiserver-loadbalancer', 'deploy/compose/loadbalancer');
}

/** If this machine reaches the package registry through a proxy with its own certificate, npm in the image must trust it as well. */
async function buildBase() {
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (!authorities) return [];
  const dir = mkdtempSync(path.join(tmpdir(), 'authorities-'));
  try {
    copyFileSync(authorities, path.join(dir, 'authorities.crt'));
    const lines = ['FROM node:24-trixie-slim', 'COPY authorities.crt /authorities.crt', 'ENV NODE_EXTRA_CA_CERTS=/authorities.crt'];
    writeFileSync(path.join(dir, 'Dockerfile'), lines.join('\n'));
    await build('node-with-authorities', dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
  return ['--build-arg=BUILD_IMAGE=node-with-authorities'];
}

export async function eventually(what, check, timeoutMs = 3 * MINUTE) {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await sleep(250);
  }
}
