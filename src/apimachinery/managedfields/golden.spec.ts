import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { leaseV1Schema } from '../../apis/coordination/lease/v1/lease-v1.schema.js';
import { ApiError } from '../errors/api-error.js';
import type { KubeObject } from '../meta/kube-object.js';
import type { StatusCause } from '../meta/status.js';
import { FieldManager } from './field-manager.js';

/** One write and what upstream made of it; see test/golden/smd/main.go. */
interface Step {
  op: 'apply' | 'update';
  manager: string;
  force?: boolean;
  now: string;
  sent: Record<string, unknown>;
  object?: KubeObject;
  error?: { message: string; causes?: StatusCause[] };
}

const apiVersion = 'coordination.k8s.io/v1';
const manager = new FieldManager({ kind: 'Lease', versions: { [apiVersion]: leaseV1Schema } });
const lines = readFileSync('test/golden/smd/vectors.jsonl', 'utf8').trimEnd().split('\n');

function run(live: KubeObject | undefined, step: Step): KubeObject | ApiError {
  const write = { manager: step.manager, apiVersion, now: step.now };
  try {
    if (step.op === 'update') return manager.update(live, step.sent as unknown as KubeObject, write);
    return manager.apply(live, step.sent, { ...write, force: step.force ?? false });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Upstream shows a wrong value as Go prints it; we as JSON. */
const withoutValue = (message: string) => message.replace(/(expected (?:string|map|list|boolean), got ).*/, '$1…');

const byText = (a: StatusCause, b: StatusCause) => (`${a.message} ${a.field}` < `${b.message} ${b.field}` ? -1 : 1);

describe('FieldManager against results of the original', () => {
  it('has vectors', () => expect(lines.length).toBeGreaterThanOrEqual(100));

  it.each(lines.map((line, at) => [at + 1, line] as const))('agrees at every step of line %i', (_at, line) => {
    let live: KubeObject | undefined;
    for (const [at, step] of (JSON.parse(line) as Step[]).entries()) {
      const result = run(live, step);
      if (result instanceof ApiError) {
        const { message, details } = result.status;
        expect({ at, message: withoutValue(message ?? ''), causes: details?.causes?.sort(byText) }).toEqual({
          at,
          message: withoutValue(step.error?.message ?? ''),
          causes: step.error?.causes?.sort(byText),
        });
      } else {
        live = JSON.parse(JSON.stringify(result)) as KubeObject;
        live.metadata.uid ??= step.object?.metadata.uid;
        expect({ at, step, object: live }).toEqual({ at, step, object: step.object });
        // Equal owners must have equal texts, whatever way they came about.
        expect(JSON.stringify(live.metadata.managedFields)).toBe(JSON.stringify(step.object?.metadata.managedFields));
      }
    }
  });
});
