import { setTimeout as sleep } from 'node:timers/promises';
import type { AttackOptions } from './attack-options.js';
import { type Group, flagsOf } from './attack-plan.js';
import type { AttackResult } from './attack-result.js';
import { ElectionHolder } from './innocent/election-holder.js';
import { Victim } from './innocent/victim.js';
import type { LatencyFigures } from './innocent/victim-figures.js';
import { judge } from './judge-result.js';
import { StartedAttack } from './started-attack.js';
import type { AttackTarget, StartTarget } from './target/attack-target.js';
import { openWatches } from './target/open-watches.js';
import { prepareTarget } from './target/prepare-target.js';

/** Time after the start of the innocent clients for connections and code to warm up. */
const WARM_UP_MS = 3000;
const POLL_MS = 100;

/** A server with its innocent clients, before an attack. */
interface Scene {
  readonly target: AttackTarget;
  readonly victim: Victim;
  readonly holder: ElectionHolder | undefined;
  readonly flags: string;
}

interface Reading {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly logBytes: number;
}

/**
 * Runs groups of attacks one after the other against one server. The server is replaced if it has ended or if a group needs other flags.
 */
export class AttackRun {
  readonly #options: AttackOptions;
  readonly #startTarget: StartTarget;
  /** Program of the election holder; undefined if it is left out. */
  readonly #electBinary: string | undefined;
  #scene: Scene | undefined;
  /** CPU share used for the innocent clients: the smallest measured, because an attack may leave work behind. */
  #idleShare = Infinity;

  constructor(options: AttackOptions, startTarget: StartTarget, electBinary: string | undefined) {
    this.#options = options;
    this.#startTarget = startTarget;
    this.#electBinary = electBinary;
  }

  async run(group: Group): Promise<AttackResult> {
    const { target, victim, holder } = await this.#sceneFor(group);
    const lostBefore = holder?.lost ?? 0;
    const baseline = await this.#idle(target, victim);
    target.usage?.forgetPeak();
    const before = readingOf(target);
    const attacks = this.#start(group, target);
    await this.#untilOver(attacks, target);
    const end = readingOf(target);
    const peak = target.usage?.peakMiB() ?? 0;
    const figures = await victim.collect();
    const watchesAtEnd = await openWatches(target.url);
    await this.#settle(attacks, target);
    const later = readingOf(target);
    const afterwards = await victim.collect();
    const watches = group.some(({ name }) => name.includes('watch'))
      ? { end: watchesAtEnd, later: await openWatches(target.url) }
      : undefined;
    await stopAll(attacks);
    const traffic = trafficOf(attacks);
    const result = {
      ...{ attack: group.map(({ name }) => name).join(' + '), seconds: this.#options.seconds, ...traffic, watches },
      ...{ baseline, victim: figures, afterwards, leasesLost: (holder?.lost ?? 0) - lostBefore },
      ...cpuOf({ target, seconds: end.cpuSeconds - before.cpuSeconds - this.#idleShare * this.#options.seconds, bytes: traffic.bytesSent }),
      memory: target.usage && memoryOf([before, end, later], peak),
      logBytes: target.logBytes() === undefined ? undefined : end.logBytes - before.logBytes,
      death: target.death(),
    };
    return { ...result, failures: [...judge(result, this.#options), ...failuresOf(attacks)] };
  }

  async close(): Promise<void> {
    const scene = this.#scene;
    this.#scene = undefined;
    await scene?.victim.stop();
    await scene?.holder?.stop();
    await scene?.target.stop();
  }

  async #sceneFor(group: Group): Promise<Scene> {
    const flags = flagsOf(group);
    const key = flags.join(' ');
    const old = this.#scene;
    if (old && !this.#options.fresh && old.flags === key && old.target.death() === undefined) return old;
    await this.close();
    const target = await this.#startTarget(flags);
    try {
      await prepareTarget(target.url);
    } catch (error) {
      await target.stop();
      throw error;
    }
    const holder = this.#electBinary === undefined ? undefined : new ElectionHolder(this.#electBinary, target.url);
    this.#scene = { target, victim: new Victim(target.url), holder, flags: key };
    await holder?.start();
    await sleep(WARM_UP_MS);
    return this.#scene;
  }

  /** Figures of the innocent clients without an attack. */
  async #idle(target: AttackTarget, victim: Victim): Promise<LatencyFigures> {
    const seconds = Math.max(1, this.#options.baselineSeconds);
    await victim.collect();
    const { cpuSeconds } = readingOf(target);
    await sleep(seconds * 1000);
    this.#idleShare = Math.min(this.#idleShare, (readingOf(target).cpuSeconds - cpuSeconds) / seconds);
    return (await victim.collect()).requests;
  }

  #start(group: Group, { url, isForeign }: AttackTarget): StartedAttack[] {
    const { seed, seconds } = this.#options;
    return group.map(({ name }, at) => new StartedAttack({ name, url, seed: seed + at, seconds, isForeign }));
  }

  async #untilOver(attacks: readonly StartedAttack[], target: AttackTarget): Promise<void> {
    let over = false;
    const finished = Promise.all(attacks.map((attack) => attack.finished)).then(() => (over = true));
    while (!over && target.death() === undefined) await Promise.race([finished, sleep(POLL_MS)]);
  }

  /** Stops the attacks, except for vanished clients: their measure is how long the server keeps them. */
  async #settle(attacks: readonly StartedAttack[], target: AttackTarget): Promise<void> {
    await stopAll(attacks.filter(({ task }) => !task.name.startsWith('vanished-')));
    for (const until = Date.now() + this.#options.settleSeconds * 1000; Date.now() < until && target.death() === undefined;) {
      await sleep(POLL_MS);
    }
  }
}

/** CPU time beyond the innocent clients' share; empty if the process is unknown, or has ended and its figures with it. */
function cpuOf({ target, seconds, bytes }: { target: AttackTarget; seconds: number; bytes: number }) {
  if (!target.usage || target.death() !== undefined) return {};
  const cpuSeconds = Math.max(0, seconds);
  return { cpuSeconds, cpuMicrosPerByte: (cpuSeconds * 1e6) / Math.max(1, bytes) };
}

function stopAll(attacks: readonly StartedAttack[]): Promise<unknown> {
  return Promise.all(attacks.map((attack) => attack.stop()));
}

function readingOf(target: AttackTarget): Reading {
  const { usage } = target;
  return { cpuSeconds: usage?.cpuSeconds() ?? 0, residentMiB: usage?.residentMiB() ?? 0, logBytes: target.logBytes() ?? 0 };
}

function memoryOf([before, end, later]: readonly [Reading, Reading, Reading], peak: number): NonNullable<AttackResult['memory']> {
  const mib = (value: number) => Math.round(value * 10) / 10;
  return { before: mib(before.residentMiB), peak: mib(peak), end: mib(end.residentMiB), later: mib(later.residentMiB) };
}

function trafficOf(attacks: readonly StartedAttack[]) {
  const sum = (of: (report: StartedAttack['report']) => number) => attacks.reduce((all, { report }) => all + of(report), 0);
  const notes: Record<string, number> = {};
  for (const { report } of attacks) {
    Object.assign(notes, report.notes);
    if (report.refused > 0) notes['connections that could not be opened'] = report.refused;
  }
  return { bytesSent: sum((r) => r.bytesSent), bytesReceived: sum((r) => r.bytesReceived), connections: sum((r) => r.connections), notes };
}

function failuresOf(attacks: readonly StartedAttack[]): string[] {
  return attacks.flatMap(({ failure }) => failure ?? []);
}
