import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Scenario, Step } from '../conformance/replay/recording.js';
import type { FuzzRequest } from './fuzz-request.js';
import type { Random } from './random.js';

const RECORDED = path.resolve(import.meta.dirname, '../conformance/recorded');

/** Requests recorded against a kube-apiserver: the starting points of mutation. */
export class Corpus {
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  /** The conformance recordings, in an order independent of the file system. */
  static fromRecordings(): Corpus {
    const steps: Step[] = [];
    for (const file of globSync('*.json', { cwd: RECORDED }).sort()) {
      const scenarios = JSON.parse(readFileSync(path.join(RECORDED, file), 'utf8')) as Scenario[];
      for (const scenario of scenarios) steps.push(...scenario.steps.filter((step) => step.path !== undefined));
    }
    return new Corpus(steps);
  }

  pick(random: Random, protocol: FuzzRequest['protocol']): FuzzRequest {
    const step = random.pick(this.#steps);
    const fill = (text: string) => fillVariables(text, random);
    const headers: [string, string][] = Object.entries(step.headers ?? {}).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, fill(one)]),
    );
    const body = bodyOf(step, fill);
    if (body && !headers.some(([name]) => name.toLowerCase() === 'content-type')) headers.push(['content-type', 'application/json']);
    return { protocol, method: step.method ?? 'GET', target: fill(step.path ?? '/'), headers, body, hostile: false };
  }
}

function bodyOf(step: Step, fill: (text: string) => string): Buffer | undefined {
  if (step.bodyBase64 !== undefined) return Buffer.from(step.bodyBase64, 'base64');
  if (step.body === undefined) return undefined;
  const text = fill(typeof step.body === 'string' ? step.body : JSON.stringify(step.body));
  return Buffer.from(step.repeat ? text.replace('@@REPEAT@@', step.repeat.text.repeat(step.repeat.times)) : text);
}

/** Replaces variables that were taken from earlier responses with guesses; the namespace is filled in when the request is sent. */
function fillVariables(text: string, random: Random): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => {
    if (name === 'ns') return whole;
    if (name.startsWith('now')) return new Date(1.7e12 + random.below(1e9)).toISOString().replace('Z', '000Z');
    if (name.startsWith('h')) return `0x${random.next().toString(16).padStart(8, '0')}${random.next().toString(16).padStart(8, '0')}`;
    if (name === 'uid') return '00000000-0000-4000-8000-000000000001';
    return random.chance(0.5) ? String(1 + random.below(2000)) : continueToken(random);
  });
}

/** A continue token in upstream's form, with more or less plausible contents. */
export function continueToken(random: Random): string {
  const rv = random.pick(['-1', '0', '1', String(random.below(5000)), '9223372036854775807', '9223372036854775808', '1.5', '"1"', 'null']);
  const start = random.pick(['one\\u0000', '${ns}/one\\u0000', '../', '/', '', 'a', '\\ud800', '\\u0000', '%', "'", '__proto__']);
  const version = random.pick(['meta.k8s.io/v1', 'meta.k8s.io/v1', 'meta.k8s.io/v1', 'v2', '']);
  return Buffer.from(`{"v":"${version}","rv":${rv},"start":"${start}"}`).toString('base64url');
}
