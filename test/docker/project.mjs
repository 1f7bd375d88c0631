import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compose, docker, eventually, run } from './engine.mjs';

const MINUTE = 60_000;
const PORTS = ['APISERVER_PORT', 'LOADBALANCER_PORT', 'PROMETHEUS_PORT', 'GRAFANA_PORT'];
const PROFILES = ['--profile=replicas', '--profile=monitoring'];

/** One project of docker-compose.yml, separate from any other on this machine. */
export class Project {
  /** The settings that a user would write into `.env`. */
  env = { COMPOSE_PROFILES: '', DATABASE_PRIMARY: 'database' };
  #name;
  #home = mkdtempSync(path.join(tmpdir(), 'compose-'));

  static async create(name) {
    const project = new Project();
    project.#name = `coordination-${name}-${process.pid}`;
    for (const port of PORTS) project.env[port] = String(await freePort());
    return project;
  }

  compose(...args) {
    const [file, ...before] = compose;
    return run(file, [...before, '--project-name', this.#name, ...args], { timeout: 5 * MINUTE, env: this.env });
  }

  up(...args) {
    const options = args.filter((arg) => arg.startsWith('--profile'));
    return this.compose(...options, 'up', '--detach', '--no-build', ...args.filter((arg) => !options.includes(arg)));
  }

  async remove() {
    await this.compose(...PROFILES, 'down', '--volumes', '--timeout=10', '--remove-orphans');
    rmSync(this.#home, { recursive: true });
  }

  exec(service, ...command) {
    return this.compose('exec', '-T', service, ...command);
  }

  /** The output of psql for statements, run as documented. */
  async psql(service, ...statements) {
    const commands = statements.flatMap((statement) => ['-c', statement]);
    return (await this.exec(service, 'psql', '-U', 'coordination', '-qAt', ...commands)).trim();
  }

  /** The output of the documented command. */
  async kubeconfig(port = this.env.APISERVER_PORT) {
    return JSON.parse(await this.exec('apiserver', 'coordination-apiserver', 'kubeconfig', '--server', `https://127.0.0.1:${port}`));
  }

  kubectl(kubeconfig, args, input) {
    const file = path.join(this.#home, 'kubeconfig');
    writeFileSync(file, JSON.stringify(kubeconfig));
    return run('kubectl', [`--kubeconfig=${file}`, `--cache-dir=${this.#home}`, ...args], { input });
  }

  async #containers(...filters) {
    const labels = [`com.docker.compose.project=${this.#name}`, ...filters].map((label) => `--filter=label=${label}`);
    return (await docker('ps', '--all', '--quiet', ...labels)).split('\n').filter(Boolean);
  }

  async container(service) {
    const [id] = await this.#containers(`com.docker.compose.service=${service}`);
    if (!id) throw new Error(`there is no container of ${service}`);
    return id;
  }

  async inspect(service) {
    return JSON.parse(await docker('inspect', await this.container(service)))[0];
  }

  async inspectAll() {
    return JSON.parse(await docker('inspect', ...(await this.#containers())));
  }

  async healthy(...services) {
    try {
      for (const service of services) {
        await eventually(`${service} is healthy`, async () => (await this.inspect(service)).State.Health?.Status === 'healthy');
      }
    } catch (error) {
      throw new Error(`${error.message}\n${await this.compose(...PROFILES, 'logs', '--no-color', '--tail=20')}`, { cause: error });
    }
  }

  /** Ends a container's processes like a crash, so that its restart policy applies. */
  async crash(service) {
    const { State } = await this.inspect(service);
    process.kill(State.Pid, 'SIGKILL');
    await eventually(`${service} is started again`, async () => {
      const now = (await this.inspect(service)).State;
      return now.Running && now.Pid !== State.Pid && now.StartedAt !== State.StartedAt;
    });
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
