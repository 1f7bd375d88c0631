import { formatGoDuration } from '../apimachinery/go/go-duration.js';
import type { Status } from '../apimachinery/meta/status.schema.js';
import type { Decision } from '../auth/authorization/authorizer.js';
import type { UserInfo } from '../registry/resource/request-context.js';
import type { AuditBackend } from './backends/audit-backend.js';
import {
  type AuditEvent,
  type AuditStage,
  type AuditStatus,
  type ObjectReference,
  auditUser,
  withoutManagedFields,
} from './event/audit-event.js';
import type { RequestAuditConfig } from './policy/audit-policy.js';
import { whenReady } from '../time/backoff.js';

/** The parts of an event that are known when the request arrives. */
export type EventHead = Omit<AuditEvent, 'level' | 'stage' | 'stageTimestamp'>;

export interface RequestAuditOptions {
  readonly config: RequestAuditConfig;
  readonly backend: AuditBackend;
  readonly now: () => number;
  /** Whether it is a watch, whose start is a separate event. */
  readonly isLongRunning: boolean;
  /** Whether authentication failed; upstream records only ResponseStarted then. */
  readonly isRefused: boolean;
  /** What the status says of a request without a user, unless its answer says more. */
  readonly refusal?: string;
  /** Whether error messages are left out, because they may repeat a body with credentials. */
  readonly hidesMessages: boolean;
}

/** Metadata that completes the object reference in the path. */
export type ReferredMetadata = Pick<ObjectReference, 'namespace' | 'name' | 'uid' | 'resourceVersion'>;

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';
/** The reason if authorization failed to decide. */
const UNDECIDED = 'internal error';
/** How long a request took, if it was longer than this (apiserver endpoints/filters/audit.go writeLatencyToAnnotation). */
const LATENCY = 'apiserver.latency.k8s.io/total';
const SLOW_MS = 500;
const CLOSED_EARLY: AuditStatus = { status: 'Success', message: 'Connection closed early', code: 200 };
const PANIC: AuditStatus = { status: 'Failure', message: "APIServer panic'd: see the server's log", reason: 'InternalError', code: 500 };

/**
 * The audit record of one request, from authentication to the end of its response (apiserver pkg/audit/context.go,
 * endpoints/filters/audit.go). Each stage sends an event built from what is known by then, and returns the backend's result.
 */
export class RequestAudit {
  readonly #options: RequestAuditOptions;
  readonly #head: EventHead;
  #objectRef: ObjectReference | undefined;
  #impersonation: Pick<AuditEvent, 'impersonatedUser' | 'authenticationMetadata'> | undefined;
  #annotations: Record<string, string> | undefined;
  #annotationsAtEnd: Record<string, string> | undefined;
  #status: AuditStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #started = false;
  #completed = false;

  constructor(options: RequestAuditOptions, head: EventHead) {
    this.#options = options;
    this.#head = head;
    this.#objectRef = head.objectRef;
    if (options.refusal !== undefined) this.#status = { message: options.refusal };
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

  /** `constraint`: the verb that allowed it, unless that was plain `impersonate`. */
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

  /** Annotates the last event only, as upstream does after its handler. */
  annotateAtEnd(key: string, value: string): void {
    this.#annotationsAtEnd = { ...this.#annotationsAtEnd, [key]: value };
  }

  /** Records the object in the body; `json` is called only if the level keeps it. */
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

  /** Records a body that is not an object: a patch, options. */
  requestBody(json: () => string | undefined): void {
    if (this.keepsRequest) this.#requestObject = json();
  }

  /** Records the object in the response; `json` is called only if the level keeps it. */
  responseObject(json: () => string): void {
    if (this.keepsResponse) this.#responseObject = this.#lean(json());
  }

  /** Records a response that is a Status. */
  responseStatus({ status, message, reason, details, code }: Status, json: () => string): void {
    this.#status = { status, ...(this.#options.hidesMessages ? {} : { message }), reason, details, code };
    this.responseObject(json);
  }

  /** Stage ResponseStarted: headers were sent. */
  started(code: number): boolean | Promise<boolean> {
    if (this.#started || this.#completed) return true;
    this.#started = true;
    this.#status = { ...this.#status, code };
    const { isLongRunning, isRefused } = this.#options;
    return isLongRunning || isRefused ? this.#emit('ResponseStarted') : true;
  }

  /** Stage ResponseComplete. Returns a promise if the backend needs time. */
  answered(code: number): boolean | Promise<boolean> {
    return whenReady(this.started(code), () => this.#complete());
  }

  /** The request has ended, for whatever reason. */
  closed(): void {
    if (this.#completed) return;
    if (this.#status === undefined) {
      this.#status = CLOSED_EARLY;
      if (this.#options.isLongRunning) void this.#emit('ResponseStarted');
    }
    void this.#complete();
  }

  /** Stage Panic: an internal error ended the request. */
  panicked(): void {
    if (this.#completed) return;
    this.#status = PANIC;
    this.#completed = true;
    void this.#emit('Panic');
  }

  #complete(): boolean | Promise<boolean> {
    if (this.#completed) return true;
    this.#completed = true;
    if (this.#options.isRefused) return true;
    const tookMs = this.#options.now() - this.#head.requestReceivedTimestamp;
    const latency = tookMs > SLOW_MS && this.#head.verb !== 'watch' ? { [LATENCY]: formatGoDuration(tookMs) } : undefined;
    if (latency || this.#annotationsAtEnd) this.#annotations = { ...this.#annotations, ...this.#annotationsAtEnd, ...latency };
    return this.#emit('ResponseComplete');
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
    // Events are single lines.
    return (this.#options.config.omitManagedFields ? withoutManagedFields(json) : json).trimEnd();
  }
}

function withoutEmpty(metadata: ReferredMetadata): ReferredMetadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined && value !== ''));
}
