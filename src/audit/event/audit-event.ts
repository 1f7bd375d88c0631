import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { quote } from '../../apimachinery/go/go-string.js';
import { microTime } from '../../apimachinery/go/go-time.js';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import type { UserInfo } from '../../registry/resource/request-context.js';

export const AUDIT_LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const AUDIT_STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof AUDIT_STAGES)[number];

/** authentication.k8s.io/v1 UserInfo; empty fields are omitted. */
export interface AuditUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: UserInfo['extra'];
}

export interface ObjectReference {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiGroup?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

/** The fields of a Status that an event contains. */
export type AuditStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

/** An audit.k8s.io/v1 Event. Immutable, so it may wait in a queue. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditUser;
  readonly impersonatedUser?: AuditUser;
  readonly authenticationMetadata?: { readonly impersonationConstraint: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: ObjectReference;
  readonly responseStatus?: AuditStatus;
  /** JSON texts. */
  readonly requestObject?: string;
  readonly responseObject?: string;
  /** Milliseconds since the epoch. */
  readonly requestReceivedTimestamp: number;
  readonly stageTimestamp: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Encodes an event as a JSON object with fields in upstream's order (apiserver pkg/apis/audit/v1 Event). */
export function encodeEvent(event: AuditEvent): string {
  const { requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations, responseStatus, ...head } = event;
  const status = responseStatus && { metadata: {}, ...responseStatus };
  const { level, auditID, stage, requestURI, verb, user, ...rest } = head;
  const start = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', level, auditID, stage, requestURI, verb, user, ...rest };
  const end = { requestReceivedTimestamp: microTime(requestReceivedTimestamp), stageTimestamp: microTime(stageTimestamp), annotations };
  return (
    JSON.stringify({ ...start, responseStatus: status }).slice(0, -1) +
    (requestObject === undefined ? '' : `,"requestObject":${requestObject}`) +
    (responseObject === undefined ? '' : `,"responseObject":${responseObject}`) +
    `,${JSON.stringify(end).slice(1)}`
  );
}

/** Formats an event as a line of text (`--audit-log-format=legacy`; apiserver pkg/audit/format.go). */
export function describeEvent(event: AuditEvent): string {
  const { objectRef, responseStatus, sourceIPs } = event;
  const fields: [string, string][] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', sourceIPs?.[0] ?? '<unknown>'],
    ['method', event.verb],
    ...describeUsers(event),
    ['user-agent', event.userAgent ?? ''],
    ['namespace', objectRef?.namespace ?? '<none>'],
    ['uri', event.requestURI],
    ['response', responseStatus ? String(responseStatus.code ?? 0) : '<deferred>'],
  ];
  const time = new Date(event.requestReceivedTimestamp).toISOString().replace(/\.?0*Z$/, 'Z');
  return `${time} AUDIT: ${fields.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}`;
}

function describeUsers({ user, impersonatedUser }: AuditEvent): [string, string][] {
  const groups = user.username === undefined ? undefined : user.groups;
  return [
    ['user', user.username ?? '<none>'],
    ['groups', groups ? list(groups) : '<none>'],
    ['as', impersonatedUser ? (impersonatedUser.username ?? '') : '<self>'],
    ['asgroups', impersonatedUser?.groups ? list(impersonatedUser.groups) : '<lookup>'],
  ];
}

/** Encodes an EventList, which webhooks receive. */
export function encodeEventList(events: readonly AuditEvent[]): string {
  return `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${events.map(encodeEvent).join(',')}]}`;
}

function list(texts: readonly string[]): string {
  return texts.map(quote).join(',');
}

/** Converts a user to its form in events. */
export function auditUser({ name, uid, groups, extra }: UserInfo): AuditUser {
  return omitEmpty({ username: name, uid, groups, extra });
}

/**
 * The source addresses of a request, nearest last: X-Forwarded-For, X-Real-Ip, then the peer address (apimachinery pkg/util/net SourceIPs).
 * A client can forge all but the last.
 */
export function sourceIps(headers: IncomingHttpHeaders, remoteAddress: string | undefined): string[] {
  const found = first(headers['x-forwarded-for'])
    .split(',')
    .flatMap((part) => addressOf(part.trim()) ?? []);
  const real = addressOf(first(headers['x-real-ip']));
  if (real !== undefined && !found.includes(real)) found.push(real);
  const remote = addressOf(remoteAddress ?? '');
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

function first(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}

/** Normalises an address: IPv4-mapped IPv6 addresses become IPv4. Undefined for anything else. */
function addressOf(text: string): string | undefined {
  if (isIP(text) === 0) return undefined;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  return mapped?.[1] ?? text;
}

interface Shown {
  metadata?: { managedFields?: unknown };
  items?: Shown[] | null;
  rows?: { object?: Shown }[] | null;
}

/** Removes metadata.managedFields from the JSON of an object, a list or a Table. */
export function withoutManagedFields(json: string): string {
  if (!json.includes('"managedFields"')) return json;
  const shown = JSON.parse(json) as Shown;
  strip(shown);
  for (const item of shown.items ?? []) strip(item);
  for (const { object } of shown.rows ?? []) strip(object);
  return JSON.stringify(shown);
}

function strip(object: Shown | null | undefined): void {
  if (object?.metadata) delete object.metadata.managedFields;
}
