import type { Status } from '../apimachinery/meta/status.js';
import type { Decision } from '../auth/authorization/authorizer.js';
import type { UserInfo } from '../registry/request-context.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditEvent, AuditStage, AuditStatus, ObjectReference } from './audit-event.js';
import { auditUser } from './audit-user.js';
import type { RequestAuditConfig } from './policy/audit-policy.js';
import { withoutManagedFields } from './without-managed-fields.js';

/** What is known of a request before anything happens to it. */
export type EventHead = Omit<AuditEvent, 'level' | 'stage' | 'stageTimestamp'>;

export interface RequestAuditOptions {
  readonly config: RequestAuditConfig;
  readonly backend: AuditBackend;
  readonly now: () => number;
  /** A watch: its start is an event of its own. */
  readonly isLongRunning: boolean;
  /** The request is refused before anybody knows whose it is; upstream has ResponseStarted alone for that. */
  readonly isRefused: boolean;
  /** Messages of errors may repeat a body that holds credentials. */
  readonly hidesMessages: boolean;
}

/** What an object's metadata adds to the reference in the path. */
export type ReferredMetadata = Pick<ObjectReference, 'namespace' | 'name' | 'uid' | 'resourceVersion'>;

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';
/** Where it could not be decided. */
const UNDECIDED = 'internal error';
const CLOSED_EARLY: AuditStatus = { status: 'Success', message: 'Connection closed early', code: 200 };
const PANIC: AuditStatus = { status: 'Failure', message: "APIServer panic'd: see the server's log", reason: 'InternalError', code: 500 };

/**
 * The record of one request, from authentication to the end of its answer (apiserver pkg/audit/context.go, endpoints/filters/audit.go).
 * Events are made from what is known when a stage is reached. A stage's result is what its backend says.
 */
export class RequestAudit {
  readonly #options: RequestAuditOptions;
  readonly #head: EventHead;
  #objectRef: ObjectReference | undefined;
  #impersonation: Pick<AuditEvent, 'impersonatedUser' | 'authenticationMetadata'> | undefined;
  #annotations: Record<string, string> | undefined;
  #status: AuditStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #started = false;
  #completed = false;

  constructor(options: RequestAuditOptions, head: EventHead) {
    this.#options = options;
    this.#head = head;
    this.#objectRef = head.objectRef;
  }

  get keepsRequest(): boolean {
    const { level } = this.#options.config;
    return level === 'Request' || level === 'RequestResponse';
  }

  get keepsResponse(): boolean {
    return this.#options.config.level === 'RequestResponse';
  }

  received(): boolean | Promise<boolean> {
    return this.#emit('RequestReceived');
  }

  /** `constraint`: the verb that allowed it, where it was not plain `impersonate`. */
  impersonated(user: UserInfo, constraint: string): void {
    this.#impersonation = {
      impersonatedUser: auditUser(user),
      ...(constraint === '' ? {} : { authenticationMetadata: { impersonationConstraint: constraint } }),
    };
  }

  decided(decision: Decision): void {
    if (!decision.allowed && decision.error) return this.annotate(REASON, UNDECIDED);
    this.annotate(DECISION, decision.allowed ? 'allow' : 'forbid');
    this.annotate(REASON, decision.reason ?? '');
  }

  annotate(key: string, value: string): void {
    this.#annotations = { ...this.#annotations, [key]: value };
  }

  /** The object of the body; `json` is asked only where it is kept. */
  requestObject(metadata: ReferredMetadata, json: () => string): void {
    const { namespace, name, uid, resourceVersion } = this.#objectRef ?? {};
    const given: ReferredMetadata = {
      namespace: namespace || metadata.namespace,
      name: name || metadata.name,
      uid: uid || metadata.uid,
      resourceVersion: resourceVersion || metadata.resourceVersion,
    };
    this.#objectRef = { ...this.#objectRef, ...withoutEmpty(given) };
    if (this.keepsRequest) this.#requestObject = this.#lean(json());
  }

  /** A body that is no object: a patch, options. */
  requestBody(json: () => string | undefined): void {
    if (this.keepsRequest) this.#requestObject = json();
  }

  /** Asks for the object of the answer where it is kept. */
  responseObject(json: () => string): void {
    if (this.keepsResponse) this.#responseObject = this.#lean(json());
  }

  /** The answer is a Status. */
  responseStatus({ status, message, reason, details, code }: Status, json: () => string): void {
    this.#status = { status, ...(this.#options.hidesMessages ? {} : { message }), reason, details, code };
    this.responseObject(json);
  }

  /** Headers are on their way. */
  started(code: number): boolean | Promise<boolean> {
    if (this.#started || this.#completed) return true;
    this.#started = true;
    this.#status = { ...this.#status, code };
    const { isLongRunning, isRefused } = this.#options;
    return isLongRunning || isRefused ? this.#emit('ResponseStarted') : true;
  }

  /** The whole answer is on its way; a promise if the backend needs time. */
  answered(code: number): boolean | Promise<boolean> {
    const started = this.started(code);
    return started instanceof Promise ? started.then(() => this.#complete()) : this.#complete();
  }

  /** There is nothing more to come, however it ended. */
  closed(): void {
    if (this.#completed) return;
    if (this.#status === undefined) {
      this.#status = CLOSED_EARLY;
      if (this.#options.isLongRunning) void this.#emit('ResponseStarted');
    }
    void this.#complete();
  }

  /** A fault of ours ended the request. */
  panicked(): void {
    if (this.#completed) return;
    this.#status = PANIC;
    this.#completed = true;
    void this.#emit('Panic');
  }

  #complete(): boolean | Promise<boolean> {
    if (this.#completed) return true;
    this.#completed = true;
    return this.#options.isRefused ? true : this.#emit('ResponseComplete');
  }

  #emit(stage: AuditStage): boolean | Promise<boolean> {
    const { config, backend, now } = this.#options;
    if (config.omitStages.has(stage)) return true;
    const { requestReceivedTimestamp } = this.#head;
    const event: AuditEvent = {
      level: config.level,
      auditID: this.#head.auditID,
      stage,
      requestURI: this.#head.requestURI,
      verb: this.#head.verb,
      user: this.#head.user,
      ...this.#impersonation,
      sourceIPs: this.#head.sourceIPs,
      userAgent: this.#head.userAgent,
      objectRef: this.#objectRef,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      requestReceivedTimestamp,
      stageTimestamp: stage === 'RequestReceived' ? requestReceivedTimestamp : now(),
      annotations: this.#annotations,
    };
    return backend.process([event]);
  }

  #lean(json: string): string {
    // An event is a line.
    return (this.#options.config.omitManagedFields ? withoutManagedFields(json) : json).trimEnd();
  }
}

function withoutEmpty(metadata: ReferredMetadata): ReferredMetadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined && value !== ''));
}
