import type { Pooling } from './pooling.js';
import type { Tracing } from '../../../telemetry/tracing/tracing.js';

/** How to reach the database. Without a url the PG* environment variables and their defaults apply, as with psql. */
export interface DatabaseOptions {
  readonly url?: string;
  /** The schema of the server's tables; '' or none: `locateSchema` finds it. */
  readonly schema?: string | undefined;
  /** Connections for reads; writes, notifications and maintenance have one of their own each. */
  readonly readConnections?: number;
  readonly connectTimeoutMs?: number;
  /** The longest that a write, or a list of an earlier revision, may take. */
  readonly statementTimeoutMs?: number;
  /** The longest that any other read may take; also how long a silent connection is waited for. */
  readonly readTimeoutMs?: number;
  /** Behind a pooler that gives each transaction another session, `transaction`: then nothing is kept in a session. Default: `auto`. */
  readonly pooling?: Pooling;
  /** Whether a standby will do, since nothing is written and nothing need be new. */
  readonly standby?: boolean;
  readonly tracing?: Tracing | undefined;
}

/** Defaults of DatabaseOptions. */
export const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
export const DEFAULT_STATEMENT_TIMEOUT_MS = 15_000;
export const DEFAULT_READ_TIMEOUT_MS = 5_000;
export const DEFAULT_READ_CONNECTIONS = 6;
