import type { Pooling } from './pooling.js';
import type { Tracing } from '../../../telemetry/tracing/tracing.js';

/** How to reach the database. Without a URL, the PG* environment variables and their defaults apply, as with psql. */
export interface DatabaseOptions {
  readonly url?: string;
  /** File with the password, which is read for each new connection; if empty or absent, that of the URL or of PGPASSWORD is used. */
  readonly passwordFile?: string | undefined;
  /** Schema of the server's tables; if empty or absent, `locateSchema` finds it. */
  readonly schema?: string | undefined;
  readonly connectTimeoutMs?: number;
  /** How long a read may take, unless it is of an earlier revision, and how long a connection may be silent. */
  readonly readTimeoutMs?: number;
  /** `transaction` behind a pooler that gives each transaction another session; nothing is then kept in a session. Default: `auto`. */
  readonly pooling?: Pooling;
  /** Whether a standby is acceptable, because nothing is written and stale data is fine. */
  readonly standby?: boolean;
  readonly tracing?: Tracing | undefined;
  /** A file in which is noted which installation is served. Where it names one, a start makes no other. */
  readonly installationFile?: string | undefined;
  /** The installation in the tables that are served, once it is known: no other one is served by this process. */
  readonly installation?: string;
}

/** Defaults of DatabaseOptions. */
export const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
export const DEFAULT_READ_TIMEOUT_MS = 5_000;
