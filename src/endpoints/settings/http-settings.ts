import type { ConnectionLimits } from '../connections/connection-limits.js';
import type { Http2Implementation } from '../connections/http2-session.js';
import type { RequestLimits } from '../flow-control/request-limits.js';
import type { MemoryLimits } from '../ledger/memory-limits.js';

/** How requests are served, without the flags' conventions. The class is the injection token. */
export abstract class HttpSettings {
  /** Time limit of requests other than watches (`--request-timeout`). */
  abstract readonly requestTimeoutMs: number;
  /** A watch without timeoutSeconds lasts between this and twice this (`--min-request-timeout`). */
  abstract readonly minRequestTimeoutSeconds: number;
  /** Origins whose pages may make requests with their user's certificate (`--web-socket-allowed-origins`); this server's own always. */
  abstract readonly webSocketAllowedOrigins?: readonly string[] | undefined;
  /** Requests that take longer are logged (`--slow-request-threshold`); absent or 0: none. */
  abstract readonly slowRequestMs?: number | undefined;
  /** How long a shutdown waits for requests in progress before it cuts them off. */
  abstract readonly shutdownGraceMs: number;
  /** Whether /swagger serves Swagger UI (`--swagger-ui`). */
  abstract readonly swaggerUi?: boolean | undefined;
  /** Whether /ui/ serves the dashboard (`--ui`). */
  abstract readonly ui?: boolean | undefined;
  /** Whether clients are asked for a certificate. */
  abstract readonly requestClientCertificates: boolean;
  /** Addresses and ranges of proxies whose connections begin with a PROXY header (`--proxy-protocol`); absent or empty: none do. */
  abstract readonly proxyProtocol?: readonly string[] | undefined;
  abstract readonly limits: RequestLimits;
  abstract readonly connections: ConnectionLimits;
  /** Absent: the defaults apply. */
  abstract readonly memory?: MemoryLimits | undefined;
  /** Whether watches that begin with the objects are compressed (`--watch-list-compression`); absent: they are. */
  abstract readonly watchListCompression?: boolean | undefined;
  /** The HTTP/2 implementation (`--http2-implementation`). */
  abstract readonly http2Implementation: Http2Implementation;
}
