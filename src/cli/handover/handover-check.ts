/** What can keep leases from being handed over, in the order in which a takeover looks. */
export const HANDOVER_CHECKS = [
  'version',
  'instances',
  'gates',
  'apiservice',
  'certificate',
  'reachability',
  'database',
  'revisions',
  'clocks',
  'identity',
  'leases',
  'namespaces',
] as const;
export type CheckName = (typeof HANDOVER_CHECKS)[number];
/** The checks that a giveback makes. */
export const GIVEBACK_CHECKS = ['version', 'instances'] as const satisfies readonly CheckName[];

/** A finding about whether leases can be handed over. */
export interface HandoverCheck {
  readonly check: string;
  /** `problem`: nothing is handed over unless the operator accepts it. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

export const ok = (check: CheckName | 'lease candidates', detail: string): HandoverCheck => ({ check, state: 'ok', detail });
export const warning = (check: CheckName, detail: string): HandoverCheck => ({ check, state: 'warning', detail });
export const problem = (check: CheckName, detail: string): HandoverCheck => ({ check, state: 'problem', detail });

/** Problems that the operator accepts become warnings. */
export function accepting(checks: readonly HandoverCheck[], accepted: readonly string[]): HandoverCheck[] {
  return checks.map((each) => (each.state === 'problem' && accepted.includes(each.check) ? { ...each, state: 'warning' } : each));
}
