import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram, whyMissing } from '../../bench/contenders/find-upstream.js';
import { eventually } from '../support/eventually.js';
import { endChild } from '../support/end-child.js';
import { startLogged } from '../support/start-logged.js';
import { type RealCluster, whyNoCluster } from './real-cluster.js';

/** The programs of a control plane that elect leaders; the lease of each has its name. */
export const ELECTED = ['kube-controller-manager', 'kube-scheduler'] as const;

/** Why no control plane can be started here; undefined if one can. */
export function whyNoControlPlane(): string | undefined {
  return whyMissing(...ELECTED) ?? whyNoCluster();
}

/** How long an election may take: a lease of 15 s that nobody renews, and a retry. */
const ELECTION_MS = 60_000;

interface Instance {
  readonly child: ChildProcess;
  readonly log: string;
}

interface LeaseSpec {
  readonly holderIdentity: string;
  readonly leaseTransitions: number;
}

/** What kubelet waits for before it starts a container again that has ended once. */
const RESTART_MS = 10_000;

/** Two of each elected program, with their own defaults for elections: leases of 15 s, given up after 10 s. */
export class ControlPlane {
  readonly #cluster: RealCluster;
  readonly #controllers: string;
  readonly #instances = new Map<string, Instance[]>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #started = 0;
  #keepsRunning = false;

  /** Its controllers: by default one that needs no nodes, which elections need to have something to lead. */
  constructor(cluster: RealCluster, controllers = 'namespace-controller') {
    this.#cluster = cluster;
    this.#controllers = controllers;
  }

  /** Starts another instance of a program. */
  start(program: string): void {
    const config = this.#cluster.kubeconfig;
    const flags = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${config}`);
    const controllers = program === 'kube-controller-manager' ? [`--controllers=${this.#controllers}`, '--kube-api-qps=200'] : [];
    const name = `${program}-${++this.#started}`;
    const log = path.join(this.#cluster.dir, `${name}.log`);
    const child = startLogged(findProgram(program), [...flags, ...controllers, '--secure-port=0'], log);
    const instance = { child, log };
    this.#instances.set(program, [...(this.#instances.get(program) ?? []), instance]);
    child.once('exit', () => this.#startLater(program));
  }

  /** From now on, another instance is started after one that has ended. */
  keepRunning(): void {
    this.#keepsRunning = true;
  }

  #startLater(program: string): void {
    if (!this.#keepsRunning) return;
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.start(program);
    }, RESTART_MS);
    this.#restarts.add(timer);
  }

  /** Number of instances of a program that have not ended. */
  running(program: string): number {
    return this.#running(program).length;
  }

  async spec(program: string): Promise<LeaseSpec | undefined> {
    const { status, json } = await this.#cluster.ask(`/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${program}`);
    return status === 200 ? (json as unknown as { spec: LeaseSpec }).spec : undefined;
  }

  /** Resolves with the lease once another than `former` holds it. */
  elected(program: string, former = ''): Promise<LeaseSpec> {
    return eventually(
      async () => {
        const spec = await this.spec(program).catch(() => undefined);
        return spec && spec.holderIdentity !== '' && spec.holderIdentity !== former ? spec : undefined;
      },
      () => `${program} elects nobody after ${former || 'its start'}`,
      ELECTION_MS,
    );
  }

  /** Kills the instance that holds the lease, without a chance to give it up. */
  async killLeader(program: string): Promise<LeaseSpec> {
    const held = await this.elected(program);
    const leader = this.#running(program).find(({ log }) => readFileSync(log, 'utf8').includes('Successfully acquired lease'));
    if (!leader) throw new Error(`no instance of ${program} has acquired its lease`);
    leader.child.kill('SIGKILL');
    return held;
  }

  async stop(): Promise<void> {
    this.#keepsRunning = false;
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all([...this.#instances.values()].flat().map(({ child }) => endChild(child, 5000)));
  }

  #running(program: string): Instance[] {
    return (this.#instances.get(program) ?? []).filter(({ child }) => child.exitCode === null && child.signalCode === null);
  }
}
