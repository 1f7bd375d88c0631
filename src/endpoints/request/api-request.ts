import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestAudit } from '../../audit/request-audit.js';
import { headerText } from '../../auth/header-text.js';
import type { AuthenticationRequest, ClientConnection } from '../../auth/authentication/authenticator.js';
import type { RequestContext, UserInfo } from '../../registry/resource/request-context.js';
import type { Classification } from '../flow-control/request-limiter.js';
import { tooManyRequests } from '../../apimachinery/errors/status-errors.js';
import { accountOf } from '../ledger/memory-ledger.js';
import { type ConnectionAccount, Held } from '../ledger/connection-account.js';
import { type RawRequest, type RawResponse, clientConnection } from '../exchange/raw-exchange.js';
import { type Query, type RequestUrl, parseQuery } from '../request-info/query.js';
import { Admission, ResponseProgress } from './admission.js';
import { type RequestInfo, parseRequestInfo } from '../request-info/request-info.js';

/** Maximum length to which a client's audit id is echoed and recorded. */
const MAX_AUDIT_ID = 1024;
const MAX_LOGGED_AUDIT_ID = 64;
const NOBODY: UserInfo = Object.freeze({ name: '', uid: '', groups: [], extra: {} });

type SetByAuthentication = 'user' | 'isAuthorizedByProxy' | 'isPublic' | 'impersonator' | 'impersonationConstraint';
type SetLater = 'classification';

/** A request before authentication. */
export type ReceivedRequest = Omit<ApiRequest, SetByAuthentication | SetLater>;
/** A request after authentication, before flow control, authorization and routing. */
export type AuthenticatedRequest = Omit<ApiRequest, SetLater>;

/**
 * One request on its way through the pipeline. Each stage adds its findings through its own methods; other code can only read them. Code
 * that runs before a stage uses one of the types above, which omit what that stage adds. All of it is one object, because a lease renewal
 * must not pay for an allocation per stage.
 */
export class ApiRequest implements RequestContext, AuthenticationRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly auditId: string;
  readonly info: RequestInfo;
  /** Milliseconds of `performance.now()`. */
  readonly receivedAt = performance.now();
  /** The limiter's classification, which response headers show. Written by the limiter. */
  classification?: Classification;
  /** The request's deadline, its seats, and the metrics that count it. */
  readonly admission = new Admission();
  /** What has become of the response. */
  readonly progress = new ResponseProgress();
  /** The index among the requests in progress, -1 before and after. Written by the IntrusiveSet. */
  slot = -1;
  /** The name in the body of a create, or in one that cannot be decoded; '' if unknown. Written by whoever reads it. */
  nameInBody = '';
  #user = NOBODY;
  #isPublic = false;
  #isProxied = false;
  #impersonator: UserInfo | undefined;
  #impersonationConstraint = '';
  #audit: RequestAudit | undefined;
  #query: Query | undefined;
  #warnings: Set<string> | undefined;
  #abort: AbortController | undefined;
  #abortReason: Error | undefined;
  #heldBytes = 0;

  /** Throws UndeterminedRequestError if the path does not identify a request. */
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

  /** The audit id as shown in the server's log, shortened because clients may choose it (upstream: GetAuditIDTruncated). */
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

  /** Accounts for the memory that the request's connection makes the server hold. */
  get account(): ConnectionAccount {
    return 'account' in this.raw ? this.raw.account : accountOf(this.raw.socket);
  }

  /** After which its writes must not happen, in milliseconds of `performance.now()`. */
  get deadline(): number {
    return this.admission.deadline;
  }

  get accept(): string | undefined {
    return this.headers.accept;
  }

  get userAgent(): string {
    return headerText(this.headers['user-agent'] ?? '');
  }

  // Authentication

  /** Whether authentication has finished. */
  get isAuthenticated(): boolean {
    return this.#user !== NOBODY;
  }

  annotate(key: string, value: string): void {
    this.#audit?.annotate(key, value);
  }

  /** The user whose rights apply: the impersonated one, if any. */
  get user(): UserInfo {
    return this.#user;
  }

  /** Whether the request is for a public page, so that no authorizer is asked. */
  get isPublic(): boolean {
    return this.#isPublic;
  }

  /** The authenticated user, if `user` is impersonated. */
  get impersonator(): UserInfo | undefined {
    return this.#impersonator;
  }

  /** The verb that allowed the impersonation, if it was not plain `impersonate`. */
  get impersonationConstraint(): string {
    return this.#impersonationConstraint;
  }

  /** Whether the request came through a front proxy as its user, who is not impersonated here. */
  get isAuthorizedByProxy(): boolean {
    return this.#isProxied && !this.#impersonator;
  }

  cameThroughProxy(): void {
    this.#isProxied = true;
  }

  authenticate(user: UserInfo): void {
    this.#user = user;
  }

  /** Marks a request for a public page, whose credentials are ignored. */
  openToAll(anonymous: UserInfo): void {
    this.#isPublic = true;
    this.#user = anonymous;
  }

  impersonate(user: UserInfo, constraint: string): void {
    this.#impersonator = this.#user;
    this.#user = user;
    this.#impersonationConstraint = constraint;
  }

  // Audit

  /** The audit record of the request, if one is kept. */
  get audit(): RequestAudit | undefined {
    return this.#audit;
  }

  record(audit: RequestAudit | undefined): void {
    this.#audit = audit;
  }

  // Handler

  get warnings(): readonly string[] {
    return this.#warnings ? [...this.#warnings] : [];
  }

  warn(text: string): void {
    (this.#warnings ??= new Set()).add(text);
  }

  /** Created on demand, because most requests end before anything waits. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      if (this.#abortReason) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  /** Aborts the request: the client is gone, the deadline has passed, or the server is shutting down. The first reason is kept. */
  abort(reason: Error): void {
    if (this.#abortReason) return;
    this.#abortReason = reason;
    this.#abort?.abort(reason);
  }

  get aborted(): Error | undefined {
    return this.#abortReason;
  }

  /**
   * Charges what a part of the request becomes in memory, until the response is closed. Throws the 429 if the client's connection already
   * holds too much.
   */
  hold(bytes: number): void {
    if (!this.account.charge(Held.OBJECTS, bytes)) throw tooManyRequests('the connection makes the server hold too much memory', 1);
    this.#heldBytes += bytes;
  }

  /** Called when the connection has released the response. */
  closed(): void {
    this.admission.end();
    if (this.#heldBytes > 0) this.account.release(Held.OBJECTS, this.#heldBytes);
    this.#heldBytes = 0;
    this.progress.release(this.account);
  }
}

function header(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? '';
}
