import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildGoProgram } from '../../clients/go-programs.js';
import { GO, whyNot } from '../../clients/toolchain.js';
import { kubeconfig } from '../../support/kubeconfig.js';
import { keepTrack, killChild } from '../child-processes.js';
import { HOLDER_TOKEN, INNOCENT_NAMESPACE } from '../identities.js';

const LEASE = 'elected';
const LEADING_MS = 30_000;
const RESTART_MS = 1000;

/** Builds the holder's program; returns its path, or the reason why it cannot be built. */
export async function buildElectionHolder(): Promise<{ readonly binary?: string; readonly whyNot?: string }> {
  const reason = whyNot(GO);
  if (reason !== undefined) return { whyNot: reason };
  try {
    return { binary: await buildGoProgram('elect') };
  } catch (error) {
    return { whyNot: `test/clients/go/elect does not build: ${(error as Error).message.split('\n')[1] ?? ''}` };
  }
}

/** A leader in client-go's leader election with default durations; it is restarted when it loses its lease. */
export class ElectionHolder {
  /** Leases lost since the start. */
  lost = 0;
  readonly #dir = mkdtempSync(path.join(tmpdir(), 'coordination-attack-'));
  readonly #args: readonly string[];
  readonly #binary: string;
  #child: ChildProcess | undefined;
  #leading: () => void = () => undefined;
  #stopped = false;

  constructor(binary: string, url: string) {
    this.#binary = binary;
    const file = path.join(this.#dir, 'kubeconfig');
    const cluster = { server: url, 'insecure-skip-tls-verify': true };
    writeFileSync(file, kubeconfig(cluster, { token: HOLDER_TOKEN }), { mode: 0o600 });
    const durations = ['--lease-duration=15s', '--renew-deadline=10s', '--retry-period=2s'];
    this.#args = [`--kubeconfig=${file}`, `--namespace=${INNOCENT_NAMESPACE}`, `--name=${LEASE}`, '--identity=innocent', ...durations];
  }

  /** Resolves when it is the leader. */
  async start(): Promise<void> {
    const leading = new Promise<void>((resolve) => (this.#leading = resolve));
    this.#run();
    const late = sleep(LEADING_MS, undefined, { ref: false }).then(() => {
      throw new Error('the election holder does not become leader');
    });
    await Promise.race([leading, late]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#child) await killChild(this.#child);
    rmSync(this.#dir, { recursive: true, force: true });
  }

  #run(): void {
    if (this.#stopped) return;
    const child = keepTrack(spawn(this.#binary, this.#args, { stdio: ['ignore', 'pipe', 'ignore'] }));
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      const text = chunk.toString();
      if (text.includes('leading ')) this.#leading();
      if (/^lost /m.test(text)) this.lost++;
    });
    void once(child, 'exit').then(() => setTimeout(() => this.#run(), RESTART_MS).unref());
  }
}
