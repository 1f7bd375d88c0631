import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endChild } from '../support/end-child.js';
import { type Tool, HAPROXY } from '../clients/toolchain.js';

/** A proxy of docs/proxies.md. */
export interface ProxyProgram extends Tool {
  /** The files of its configuration; it is started with the first. */
  readonly files: readonly [string, ...string[]];
  /** Whether clients may speak HTTP/2 to it. */
  readonly http2: boolean;
  readonly run: (file: string, folder: string) => readonly string[];
}

/** Traefik and Caddy do not tell their versions if they were built from source. */
export const PROXIES: readonly ProxyProgram[] = [
  {
    ...{ program: 'nginx', version: ['-v'], atLeast: '1.22' },
    files: ['nginx.conf'],
    http2: false,
    run: (file, folder) => ['-p', folder, '-e', 'stderr', '-g', 'daemon off; pid nginx.pid;', '-c', file],
  },
  { ...HAPROXY, files: ['haproxy.cfg'], http2: true, run: (file) => ['-db', '-f', file] },
  {
    program: 'envoy',
    version: ['--version'],
    atLeast: '1.28',
    files: ['envoy.yaml'],
    http2: true,
    run: (file) => ['--log-level', 'warn', '-c', file],
  },
  {
    ...{ program: 'traefik', version: ['version'], atLeast: '0.0' },
    files: ['traefik.yaml', 'traefik-leases.yaml'],
    http2: true,
    run: (file) => [`--configFile=${file}`],
  },
  {
    program: 'caddy',
    version: ['build-info'],
    atLeast: '0.0',
    files: ['Caddyfile'],
    http2: true,
    run: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];

export interface ProxySite {
  readonly port: number;
  readonly servers: readonly number[];
  /** PEM. */
  readonly authorities: string;
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Replaces limits of an hour. */
  readonly idleSeconds: number;
}

/** A proxy that runs with its configuration of deploy/proxies, apart from addresses, files and the idle limit. */
export class RunningProxy {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'proxies-'));
  readonly #child;
  #said = '';

  constructor({ program, files, run }: ProxyProgram, site: ProxySite) {
    const folder = this.#folder;
    const { cert, key } = site.certificate;
    const others = { 'tls.crt': cert, 'tls.key': key, 'tls.pem': cert + key, 'ca.crt': site.authorities };
    for (const [name, content] of Object.entries(others)) writeFileSync(path.join(folder, name), content);
    for (const name of files) {
      writeFileSync(path.join(folder, name), localized(readFileSync(path.join(CONFIGURATIONS, name), 'utf8'), site, folder));
    }
    this.#child = spawn(program, run(path.join(folder, files[0]), folder), { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  get said(): string {
    return this.#said;
  }

  async stop(): Promise<void> {
    await endChild(this.#child, 5000);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const CONFIGURATIONS = path.resolve(import.meta.dirname, '../../deploy/proxies');

function localized(text: string, { port, servers, idleSeconds }: ProxySite, folder: string): string {
  return text
    .replace(/leases-(\d)\.example:6443/g, (_, number: string) => `127.0.0.1:${servers[Number(number) - 1]}`)
    .replace(
      /address: leases-(\d)\.example, port_value: 6443/g,
      (_, number: string) => `address: 127.0.0.1, port_value: ${servers[Number(number) - 1]}`,
    )
    .replace(/(listen |:|port_value: )443\b/g, `$1${port}`)
    .replaceAll('/etc/leases', folder)
    .replace(/\b(1h|3600s)\b/g, `${idleSeconds}s`);
}
