import type { Logger } from 'pino';
import type { Auditor } from '../audit/auditor.js';
import type { Authenticator } from '../auth/authentication/authenticator.js';
import type { Authorizer } from '../auth/authorization/authorizer.js';
import type { Subresource } from '../registry/resource-registry.js';
import type { ResourceStore } from '../registry/resource-store.js';
import type { ServerMetrics } from '../telemetry/metrics/metric-registry.js';
import type { Tracing } from '../telemetry/tracing/tracing.js';
import type { ConnectionLimits } from './connections/connection-limits.js';
import type { Http2Implementation } from './connections/http2-session.js';
import type { VersionInfo } from './discovery/version-info.js';
import type { ResourceSizes } from './flow-control/work-estimator.js';
import type { HealthCheck } from './health/health-check.js';
import type { MemoryLimits } from './ledger/memory-limits.js';
import type { ServedDocument } from './served-document.js';

/** How the server speaks TLS; certificates and keys as PEM. */
export interface TlsMaterial {
  readonly key: string | Buffer;
  /** The serving certificate with its chain. */
  readonly cert: string | Buffer;
  /** Whose certificates clients are asked for; absent: they are not asked. */
  readonly clientAuthorities?: string;
  /** By default 1.2. */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** A list for OpenSSL; by default Node's own. */
  readonly ciphers?: string;
}

/** How much is served at a time. 0 is no limit. */
export interface RequestLimits {
  /** Fair queues by priority (`--enable-priority-and-fairness`) over the sum of the next two, instead of these two alone. */
  readonly priorityAndFairness: boolean;
  /** `--max-requests-inflight` */
  readonly readOnly: number;
  /** `--max-mutating-requests-inflight` */
  readonly mutating: number;
  /** Watches that one user may have open, unless he is of system:masters (`--max-watches-per-user`). */
  readonly watchesPerUser: number;
}

/** Everything the HTTP layer is given; it reads no configuration of its own. */
export interface HttpApplicationOptions {
  /** The served resources, in the order in which discovery lists them. */
  readonly resources: readonly ResourceStore[];
  /** Their subresources. */
  readonly subresources?: readonly Subresource[];
  /** Documents that are served beside them. */
  readonly documents?: readonly ServedDocument[];
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Absent: nothing is recorded of requests. */
  readonly auditor?: Auditor;
  readonly tls: TlsMaterial;
  readonly healthChecks: readonly HealthCheck[];
  readonly version: VersionInfo;
  readonly logger: Logger;
  /** What the layers below count; this one adds its own. */
  readonly metrics?: ServerMetrics;
  /** Absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** Deadline of every request that is no watch (`--request-timeout`). */
  readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts between this and twice this (`--min-request-timeout`). */
  readonly minRequestTimeoutSeconds: number;
  /** Origins whose pages may use WebSockets with their user's certificate (`--web-socket-allowed-origins`); this server's own always. */
  readonly webSocketAllowedOrigins?: readonly string[];
  /** Requests that take longer are logged (`--slow-request-threshold`); absent or 0: none. */
  readonly slowRequestMs?: number;
  /** How long `close()` waits for requests under way before it cuts them off. */
  readonly shutdownGraceMs: number;
  /** Whether /swagger serves Swagger UI (`--swagger-ui`). */
  readonly swaggerUi?: boolean;
  /** Whether /ui/ serves the dashboard (`--ui`). */
  readonly ui?: boolean;
  /** The clock of ages and of timestamps, in milliseconds. */
  readonly now: () => number;
  readonly limits: RequestLimits;
  readonly connections: ConnectionLimits;
  /** Absent: the defaults. */
  readonly memory?: MemoryLimits;
  /** Who speaks HTTP/2 (`--http2-implementation`). */
  readonly http2Implementation: Http2Implementation;
  /** Makes long lists weigh more; absent: every request weighs the same. */
  readonly resourceSizes?: ResourceSizes;
}
