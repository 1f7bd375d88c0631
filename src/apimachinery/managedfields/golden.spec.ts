import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { leaseV1Schema } from '../../apis/coordination/lease/lease.schema.js';
import { ApiError } from '../errors/api-error.js';
import type { KubeObject } from '../meta/object-meta.schema.js';
import type { StatusCause } from '../meta/status.schema.js';
import { field, microTime, string } from '../schema/struct-type.js';
import { FieldManager } from './field-manager.js';

/** One write and upstream's result; see test/golden/smd/sequence.go. */
interface Step {
  op: 'apply' | 'update';
  apiVersion: string;
  manager: string;
  force?: boolean;
  now: string;
  sent: Record<string, unknown>;
  object?: KubeObject;
  error?: { message: string; causes?: StatusCause[] };
}

const GROUP = 'coordination.k8s.io';
const HUB = { Lease: `${GROUP}/v1`, LeaseCandidate: `${GROUP}/v1beta1` };
type Kind = keyof typeof HUB;

/** A stand-in with the relevant properties: fields that are always present, and two versions. */
const candidateSchema = {
  ...leaseV1Schema,
  goName: 'LeaseCandidate',
  fields: leaseV1Schema.fields.map((part) => {
    if (part.name !== 'spec' || part.type.kind !== 'struct') return part;
    const fields = [
      field('leaseName', 1, string(), 'always', ''),
      field('pingTime', 2, microTime(), 'optional', ''),
      field('renewTime', 3, microTime(), 'optional', ''),
      field('binaryVersion', 4, string(), 'always', ''),
      field('emulationVersion', 5, string(), 'omitEmpty', ''),
      field('strategy', 6, string(), 'omitEmpty', ''),
    ];
    return { ...part, type: { ...part.type, fields } };
  }),
};

const convert = (object: KubeObject, _from: string, apiVersion: string): KubeObject => ({ ...object, apiVersion });
const managers = {
  Lease: new FieldManager({ kind: 'Lease', versions: { [HUB.Lease]: leaseV1Schema } }),
  LeaseCandidate: new FieldManager({
    kind: 'LeaseCandidate',
    versions: { [HUB.LeaseCandidate]: candidateSchema, [`${GROUP}/v1alpha2`]: candidateSchema },
    convert,
  }),
};
const lines = readFileSync('test/golden/smd/vectors.jsonl', 'utf8').trimEnd().split('\n');

function run(kind: Kind, live: KubeObject | undefined, step: Step): KubeObject | ApiError {
  const { apiVersion, now } = step;
  const current = live && convert(live, HUB[kind], apiVersion);
  const write = { manager: step.manager, apiVersion, now };
  try {
    const next =
      step.op === 'update'
        ? managers[kind].update(current, step.sent as unknown as KubeObject, write)
        : managers[kind].apply(current, step.sent, { ...write, force: step.force ?? false });
    return convert(next, apiVersion, HUB[kind]);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The parts of an error that are compared. Upstream formats an invalid value like Go; that part is left out. */
function told({ status: { message, details } }: ApiError) {
  return { message: withoutValue(message ?? ''), causes: details?.causes?.toSorted(byText) };
}

function toldBy({ error }: Step) {
  return { message: withoutValue(error?.message ?? ''), causes: error?.causes?.sort(byText) };
}

const withoutValue = (message: string) => message.replace(/(expected (?:string|map|list|boolean), got ).*/, '$1…');

const byText = (a: StatusCause, b: StatusCause) => (`${a.message} ${a.field}` < `${b.message} ${b.field}` ? -1 : 1);

describe("FieldManager compared with upstream's results", () => {
  it('has test vectors', () => expect(lines.length).toBeGreaterThanOrEqual(80));

  it.each(lines.map((line, at) => [at + 1, line] as const))('agrees at every step of line %i', (_at, line) => {
    const steps = JSON.parse(line) as Step[];
    const kind = steps.find(({ object }) => object !== undefined)?.object?.kind as Kind;
    let live: KubeObject | undefined;
    for (const [at, step] of steps.entries()) {
      const result = run(kind, live, step);
      if (result instanceof ApiError) {
        expect({ at, ...told(result) }).toEqual({ at, ...toldBy(step) });
      } else {
        live = JSON.parse(JSON.stringify(result)) as KubeObject;
        live.metadata.uid ??= step.object?.metadata.uid;
        expect({ at, step, object: live }).toEqual({ at, step, object: step.object });
        // Equal owners must have equal texts, regardless of how they came about.
        expect(JSON.stringify(live.metadata.managedFields)).toBe(JSON.stringify(step.object?.metadata.managedFields));
      }
    }
  });
});
