import { LockError } from '../lock-error.js';

const NAMESPACE = "as the owner of the schema: call coordination.lease_create_namespace('NAMESPACE')";

/** Rejections that another attempt would meet again, with what helps where the message does not say it. */
const FINAL: ReadonlyMap<string, string> = new Map([
  ['22023', ''], // a name
  ['28000', ''], // the user
  ['28P01', ''], // the password
  ['2D000', ' (the statement ran within a transaction)'],
  ['3D000', ''], // no such database
  ['3F000', ` (coordination-apiserver migrate up creates the schema; then, ${NAMESPACE})`],
  ['42501', ' (the owner of the schema may call lease_grant)'],
  ['42704', ` (${NAMESPACE})`],
  ['42883', ' (coordination-apiserver migrate up creates the procedures)'],
  ['42809', ''], // of another kind than is called
  ['53400', ''], // too many leases
  ['55000', ''], // the lease or its namespace is not for this
]);

/** Everything else may change: connections, failovers, a standby instead of the primary, a server without memory or disk. */
export function sqlFailure(error: unknown): LockError {
  const { code, message } = describe(error);
  const help = code === undefined ? undefined : FINAL.get(code);
  if (help !== undefined) return new LockError('refused', `the database refused: ${message}${help} (${code})`, { cause: error });
  return new LockError('unreachable', `the database cannot answer now: ${message}`, { cause: error });
}

/** Failures to connect to several addresses have one message each. */
function describe(error: unknown): { code?: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return { code: typeof code === 'string' ? code : undefined, message: error.message || error.name };
}
