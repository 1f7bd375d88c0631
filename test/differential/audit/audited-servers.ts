import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AuditLog } from './audit-log.js';

const POLICY = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'RequestResponse' }] });
const SIDES = ['upstream', 'ours'] as const;

/** What both servers need to record everything. */
export interface AuditSetup {
  readonly flags: Readonly<Record<(typeof SIDES)[number], readonly string[]>>;
  readonly logs: Readonly<Record<(typeof SIDES)[number], AuditLog>>;
  stop(): Promise<void>;
}

/** A policy that records every request with its bodies, and a log for each server. */
export async function setUpAudit(): Promise<AuditSetup> {
  const dir = await mkdtemp(path.join(tmpdir(), 'audit-'));
  const policy = path.join(dir, 'policy.yaml');
  await writeFile(policy, POLICY);
  const file = (side: string) => path.join(dir, `${side}.log`);
  // One that has not been written to yet can be read as well.
  await Promise.all(SIDES.map((side) => writeFile(file(side), '', { mode: 0o600 })));
  const flags = (side: string) => [`--audit-policy-file=${policy}`, `--audit-log-path=${file(side)}`, '--audit-log-maxsize=2000'];
  return {
    flags: { upstream: flags('upstream'), ours: flags('ours') },
    logs: { upstream: new AuditLog(file('upstream')), ours: new AuditLog(file('ours')) },
    stop: () => rm(dir, { recursive: true, force: true }),
  };
}
