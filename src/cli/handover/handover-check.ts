/** A finding about whether leases can be handed over. */
export interface HandoverCheck {
  readonly check: string;
  /** `problem`: nothing is handed over unless the operator accepts it. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
}

export const ok = (check: string, detail: string): HandoverCheck => ({ check, state: 'ok', detail });
export const warning = (check: string, detail: string): HandoverCheck => ({ check, state: 'warning', detail });
export const problem = (check: string, detail: string): HandoverCheck => ({ check, state: 'problem', detail });

/** Problems that the operator accepts become warnings. */
export function accepting(checks: readonly HandoverCheck[], accepted: readonly string[]): HandoverCheck[] {
  return checks.map((each) => (each.state === 'problem' && accepted.includes(each.check) ? { ...each, state: 'warning' } : each));
}
