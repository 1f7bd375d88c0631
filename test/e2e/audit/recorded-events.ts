import { readFileSync } from 'node:fs';
import type { AuditBackend } from '../../../src/audit/backends/audit-backend.js';
import { type AuditEvent, encodeEvent } from '../../../src/audit/event/audit-event.js';

type Json = Record<string, unknown>;

/** A request and the events that kube-apiserver 1.37 records for it under `policy.yaml`. */
export interface RecordedRequest {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly events: readonly Json[];
}

const FOLDER = new URL('../../golden/audit/', import.meta.url);

export const POLICY = readFileSync(new URL('policy.yaml', FOLDER), 'utf8');
export const RECORDED = JSON.parse(readFileSync(new URL('kube-apiserver.json', FOLDER), 'utf8')) as RecordedRequest[];

/** Collects events in the form a log would show. */
export class EventCollector implements AuditBackend {
  readonly lines: string[] = [];

  process(events: readonly AuditEvent[]): boolean {
    this.lines.push(...events.map(encodeEvent));
    return true;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  of(auditId: string): Json[] {
    return this.lines.map((line) => JSON.parse(line) as Json).filter(({ auditID }) => auditID === auditId);
  }
}

const CHANGING = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time']);
const UNRECORDED = new Set(['kind', 'apiVersion', 'auditID', 'requestReceivedTimestamp', 'stageTimestamp']);

/** An event without the values that differ from run to run; a resourceVersion sent by the client is kept. */
export function comparable(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => comparable(each));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => key !== 'event' || !UNRECORDED.has(name))
        .map(([name, each]) => [name, comparable(each, name)]),
    );
  }
  if (typeof value !== 'string') return value;
  if (CHANGING.has(key)) return value === '1' ? value : `some ${key}`;
  return value.replace(/^gen-\w{5}$/, 'gen-xxxxx').replace(/^[\d.]+[smh]$/, 'some age');
}
