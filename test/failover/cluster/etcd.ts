import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { upstreamHome } from '../../../bench/contenders/find-upstream.js';
import { eventually } from '../../support/eventually.js';
import { etcdFlags } from '../../upstream/etcd-flags.js';
import { mustRun } from '../../clients/run-program.js';
import { MissingProgramError } from './missing-program-error.js';
import { freePorts } from './free-ports.js';
import { programPath } from './find-programs.js';
import type { ProgramRunner } from './program-runner.js';

/** A single etcd member, as Patroni's DCS. It never fails; only the connection to it does. */
export class Etcd {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(binary: string, dir: string, runner: ProgramRunner): Promise<Etcd> {
    const [client, peer] = (await freePorts(2)) as [number, number];
    const own = path.join(dir, 'etcd');
    await mkdir(own);
    const args = [...etcdFlags(own, client, peer), '--log-level=warn'];
    const etcd = new Etcd(client, runner.startAsSelf(binary, args, own, path.join(dir, 'etcd.log')));
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${client}/health`).then(
          ({ ok }) => ok,
          () => undefined,
        ),
      () => `etcd does not start: see ${dir}/etcd.log`,
      30_000,
    );
    return etcd;
  }

  /** Deletes every key with this prefix. */
  async forget(prefix: string): Promise<void> {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const response = await fetch(`http://127.0.0.1:${this.port}/v3/kv/deleterange`, {
      method: 'POST',
      body: JSON.stringify({ key: base64(prefix), range_end: base64(end) }),
    });
    if (!response.ok) throw new Error(`etcd refuses to forget ${prefix}: ${response.status} ${await response.text()}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

/** etcd's program: the given one, the one in the PATH, or upstream's, which is built once. */
export async function etcdProgram(given: string | undefined): Promise<string> {
  const found = programPath('etcd', given);
  if (found) return found;
  if (given !== undefined) throw new MissingProgramError(`there is no ${given}`);
  const binary = path.join(upstreamHome(), 'bin/etcd');
  if (existsSync(binary)) return binary;
  if (!programPath('go')) throw new MissingProgramError('etcd is not installed: apt-get install etcd-server, or Go 1.26, which builds it');
  console.log('building etcd; this happens once and takes some minutes');
  await mustRun(path.resolve(import.meta.dirname, '../../upstream/build.sh'), ['etcd']);
  return binary;
}
