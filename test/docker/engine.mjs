// A Docker engine and what the suite asks of it. Every call is bounded in time.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const MINUTE = 60_000;

function works(file, ...args) {
  try {
    execFileSync(file, args, { stdio: 'ignore', timeout: MINUTE });
    return true;
  } catch {
    return false;
  }
}

/** `docker compose`, or the older program of its own. */
const compose = works('docker', 'compose', 'version') ? ['docker', 'compose'] : ['docker-compose'];

/** Why nothing can be tested here; undefined when it can. */
export function missing() {
  if (!works('docker', 'info')) return 'no Docker engine answers';
  if (!works(compose[0], ...compose.slice(1), 'version')) return 'neither docker compose nor docker-compose is installed';
  if (!works('kubectl', 'version', '--client')) return 'kubectl is not installed';
  const image = ['node:24-trixie-slim', 'postgres:17-trixie', 'debian:trixie-slim'].find(
    (name) => !works('docker', 'image', 'inspect', name) && !works('docker', 'pull', '--quiet', name),
  );
  return image && `the image ${image} is not there and cannot be pulled`;
}

export async function run(file, args, { timeout = MINUTE, env = {}, input } = {}) {
  const running = promisify(execFile)(file, args, { cwd: root, timeout, env: { ...process.env, ...env }, maxBuffer: 64 << 20 });
  if (input !== undefined) running.child.stdin.end(input);
  return (await running).stdout;
}

export const docker = (...args) => run('docker', args);

/** Builds the images under the names that docker-compose.yml knows. */
export async function buildImages() {
  const build = (name, dir, ...args) => run('docker', ['build', '--network=host', `--tag=${name}`, ...args, dir], { timeout: 20 * MINUTE });
  await build('coordination-apiserver', '.', ...(await buildBase()));
  await build('coordination-apiserver-loadbalancer', 'deploy/compose/loadbalancer');
}

/** Where this machine reaches the package registry through a proxy of its own, npm in the image has to trust that as well. */
async function buildBase() {
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (!authorities) return [];
  const dir = mkdtempSync(path.join(tmpdir(), 'authorities-'));
  try {
    copyFileSync(authorities, path.join(dir, 'authorities.crt'));
    const lines = ['FROM node:24-trixie-slim', 'COPY authorities.crt /authorities.crt', 'ENV NODE_EXTRA_CA_CERTS=/authorities.crt'];
    writeFileSync(path.join(dir, 'Dockerfile'), lines.join('\n'));
    await docker('build', '--quiet', '--tag=node-with-authorities', dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
  return ['--build-arg=BUILD_IMAGE=node-with-authorities'];
}

/** One project of docker-compose.yml, apart from any other on this machine. */
export class Project {
  #name = `coordination-test-${process.pid}`;
  #env;

  static async create() {
    const project = new Project();
    project.port = await freePort();
    project.balancedPort = await freePort();
    project.#env = { APISERVER_PORT: String(project.port), LOADBALANCER_PORT: String(project.balancedPort) };
    return project;
  }

  compose(...args) {
    const [file, ...before] = compose;
    return run(file, [...before, '--project-name', this.#name, ...args], { timeout: 5 * MINUTE, env: this.#env });
  }

  async container(service) {
    const ids = await docker(
      'ps',
      '--all',
      '--quiet',
      `--filter=label=com.docker.compose.project=${this.#name}`,
      `--filter=label=com.docker.compose.service=${service}`,
    );
    return ids.trim();
  }

  async inspect(service) {
    return JSON.parse(await docker('inspect', await this.container(service)))[0];
  }

  async healthy(service) {
    try {
      await eventually(`${service} is healthy`, async () => (await this.inspect(service)).State.Health?.Status === 'healthy');
    } catch (error) {
      throw new Error(`${error.message}\n${await this.compose('logs', '--no-color', '--tail=20')}`, { cause: error });
    }
  }

  /** Ends a container's first process as a crash would, so that its restart policy applies. */
  async crash(service) {
    const { State } = await this.inspect(service);
    process.kill(State.Pid, 'SIGKILL');
    await eventually(`${service} is started again`, async () => {
      const now = (await this.inspect(service)).State;
      return now.Running && now.Pid !== State.Pid && now.StartedAt !== State.StartedAt;
    });
  }
}

export async function eventually(what, check, timeoutMs = 3 * MINUTE) {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`);
    await sleep(250);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
