import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestAudit } from '../../audit/request-audit.js';
import { headerText } from '../../auth/header-text.js';
import type { AuthenticationRequest, ClientConnection } from '../../auth/authentication/authenticator.js';
import type { RequestContext, UserInfo } from '../../registry/request-context.js';
import type { InFlight } from '../metrics/in-flight.js';
import type { RequestSeries } from '../metrics/request-series.js';
import type { Classification } from '../flow-control/request-limiter.js';
import type { Ticket } from '../flow-control/ticket.js';
import { accountOf } from '../ledger/account-of.js';
import type { ConnectionAccount } from '../ledger/connection-account.js';
import { Held } from '../ledger/held.js';
import { clientConnection } from './client-connection.js';
import type { Query } from './query.js';
import { parseQuery } from './query.js';
import type { RawRequest, RawResponse } from './raw-exchange.js';
import type { RequestInfo } from './request-info.js';
import { parseRequestInfo } from './request-info.js';
import type { RequestUrl } from './url.js';

/** A client's audit id is sent back and recorded; of a longer one the beginning. */
const MAX_AUDIT_ID = 1024;
const MAX_LOGGED_AUDIT_ID = 64;
const NOBODY: UserInfo = Object.freeze({ name: '', uid: '', groups: [], extra: {} });

/**
 * One request on its way through the layers: what it asks for, who asks, and where the answer goes. Made once, before anything else
 * looks at the request.
 */
export class ApiRequest implements RequestContext, AuthenticationRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly auditId: string;
  readonly info: RequestInfo;
  /** Milliseconds of `performance.now()`. */
  readonly receivedAt = performance.now();
  /** When its handler began; 0 if it never did. */
  admittedAt = 0;
  /** When the answer was complete; 0 until then, and for streams. */
  answeredAt = 0;
  /** Of the answer's body. */
  sentBytes = 0;
  /** Whether its failure has been logged, with the cause. */
  failureLogged = false;
  /** What it is counted as, once its handler is known. */
  series: RequestSeries | undefined;
  /** Where it is counted as under way, while it is. */
  inFlight: InFlight | undefined;
  /** Set by authentication, before any handler runs. */
  user: UserInfo = NOBODY;
  /** What it asks for is open to everybody: nobody is asked whether he may. */
  isPublic = false;
  /** Who really asks, where `user` is impersonated. */
  impersonator?: UserInfo;
  /** The limits' ticket and what they took the request for; absent for requests that never came that far. */
  ticket?: Ticket;
  /** How long it may take; absent for watches. */
  limitMs?: number;
  classification?: Classification;
  /** The verb that allowed the impersonation, where it was not plain `impersonate`. */
  impersonationConstraint = '';
  /** The record of this request, where one is kept. */
  audit?: RequestAudit;
  /** Name in the path or pinned by a selector; '' without one. Namespace as in the path, '' for cluster-scoped resources. */
  authorizeCreate?: () => Promise<void>;
  /** When its time is up, in milliseconds of `performance.now()`. */
  deadline = Infinity;
  /** Its place among the requests under way. */
  slot = -1;
  #heldBytes = 0;
  #query: Query | undefined;
  #warnings: Set<string> | undefined;
  #abort: AbortController | undefined;
  #abortReason: Error | undefined;

  constructor(
    readonly raw: RawRequest,
    readonly response: RawResponse,
    readonly url: RequestUrl,
    info?: RequestInfo,
  ) {
    this.method = raw.method ?? 'GET';
    this.headers = raw.headers;
    this.auditId = header(raw.headers['audit-id']).slice(0, MAX_AUDIT_ID) || randomUUID();
    this.info = info ?? parseRequestInfo(this.method, url, () => this.query);
  }

  /** Whether authentication is over. */
  get isIdentified(): boolean {
    return this.user !== NOBODY;
  }

  /** What the server's log shows of the audit id, which clients may choose (upstream: GetAuditIDTruncated). */
  get loggedAuditId(): string {
    return this.auditId.slice(0, MAX_LOGGED_AUDIT_ID);
  }

  get query(): Query {
    return (this.#query ??= parseQuery(this.url.rawQuery));
  }

  get rawHeaders(): readonly string[] {
    return this.raw.rawHeaders;
  }

  get connection(): ClientConnection | undefined {
    return clientConnection(this.raw.socket);
  }

  /** What the connection makes the server hold. */
  get account(): ConnectionAccount {
    return 'account' in this.raw ? this.raw.account : accountOf(this.raw.socket);
  }

  get accept(): string | undefined {
    return this.headers.accept;
  }

  get userAgent(): string {
    return headerText(this.headers['user-agent'] ?? '');
  }

  get warnings(): readonly string[] {
    return this.#warnings ? [...this.#warnings] : [];
  }

  warn(text: string): void {
    (this.#warnings ??= new Set()).add(text);
  }

  /** Made on demand: most requests end before anybody asks. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#abortReason) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  /** Charges what is kept of the answer until it is sent. False: it must not be kept. */
  hold(bytes: number): boolean {
    const taken = this.account.charge(Held.ANSWERS, bytes);
    if (taken) this.#heldBytes += bytes;
    return taken;
  }

  /** The connection has let go of the answer. */
  closed(): void {
    this.handedOver();
    if (this.#heldBytes > 0) this.account.release(Held.ANSWERS, this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** The complete answer is with the connection, or nobody waits for one any more: it counts as under way no longer. */
  handedOver(): void {
    this.ticket?.close();
    this.inFlight?.leave(performance.now());
    this.inFlight = undefined;
  }

  /** The client is gone, the deadline has passed, or the server goes down. */
  abort(reason: Error): void {
    if (this.#abortReason) return;
    this.#abortReason = reason;
    this.#abort?.abort(reason);
  }

  get aborted(): Error | undefined {
    return this.#abortReason;
  }
}

function header(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
