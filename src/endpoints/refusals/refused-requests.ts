import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Status } from '../../apimachinery/meta/status.schema.js';
import { type GroupResource, qualifiedResource } from '../../apimachinery/schema/group-resource.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import type { Counter } from '../../telemetry/metrics/metric-family.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import type { ApiRequest } from '../request/api-request.js';

/** Older refusals are forgotten. */
const KEPT_MS = 3_600_000;
/** What all of them, and those of one user, may take, in bytes. */
const MAX_BYTES = 2 ** 20;
const MAX_BYTES_OF_USER = MAX_BYTES / 4;
/** What a refusal takes besides its texts: objects, entries of two maps, a share of their tables. */
const BYTES_EACH = 600;
const LONGEST_TEXT = 256;
const LONGEST_MESSAGE = 512;

/** Requests that differ only in their time and in the details of the message, and were refused. Texts are cut. */
export interface RefusedRequest {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Such as `leases.coordination.k8s.io`. */
  readonly resource: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly namespace: string;
  /** '' where the request was refused before its body was read, which has the name of an object to create. */
  readonly name: string;
  readonly verb: string;
  /** '' if unknown. */
  readonly user: string;
  readonly userAgent: string;
  readonly code: number;
  readonly reason: string;
  /** The field at fault. */
  readonly field: string;
  /** One of a fixed set of causes; the message may differ with each request. */
  readonly cause: string;
  /** The latest message. */
  readonly message: string;
  /** Times are in milliseconds of the wall clock. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** The parts that identify refusals as the same. */
type Identity = Omit<RefusedRequest, 'id' | 'message' | 'first' | 'last' | 'count'>;

type TextOfClient = Exclude<keyof Identity, 'resource' | 'code' | 'reason' | 'cause'>;

/** A refused request, from which its cause is told. */
export type Refusal = Omit<Identity, 'cause'> & Pick<RefusedRequest, 'message'>;

interface RefusedUser {
  bytes: number;
  readonly requests: Map<string, RefusedRequest>;
}

/**
 * The requests that got an error lately, by who asked for what and why it was refused, so that people see who asks in vain. Kept in memory,
 * by this process alone, as far as its bytes reach: a user's own refusals make way first, then those of the user who was refused longest ago.
 */
@Injectable()
export class RefusedRequests {
  /** By user, then by id: in both, those that were refused longest ago come first. */
  readonly #users = new Map<string, RefusedUser>();
  readonly #causeOf = new Map<string, (refusal: Refusal) => string>();
  readonly #now: Clock;
  #bytes = 0;
  readonly #forgotten: Counter;

  constructor(@Inject(CLOCK) now: Clock, @Inject(SERVER_METRICS) { main }: ServerMetrics) {
    this.#now = now;
    main.gauge({ name: 'coordination_refusals_held_bytes', help: 'Memory for requests that were refused lately, estimated.' }, (gauge) =>
      gauge.with().set(this.#bytes),
    );
    this.#forgotten = main
      .counter({ name: 'coordination_refusals_forgotten_total', help: 'Kept refusals that made way for others.' })
      .with();
  }

  /** Refusals of requests for this resource are kept from now on, by their causes. */
  keep(resource: GroupResource, causeOf: (refusal: Refusal) => string): void {
    this.#causeOf.set(qualifiedResource(resource), causeOf);
  }

  /**
   * A request is answered with this error. A read of what does not exist is no refusal, since clients look before they create. What the server itself
   * could not do is counted together, by namespace and verb: it fails for everybody.
   */
  add(request: ApiRequest, status: Status): void {
    const { info } = request;
    if (!info.isResourceRequest || status.status !== 'Failure') return;
    const resource = qualifiedResource({ group: info.apiGroup, resource: info.resource });
    const causeOf = this.#causeOf.get(resource);
    if (!causeOf) return;
    if (status.code === 404 && info.verb === 'get' && info.name === status.details?.name) return;
    const { code = 0, reason = '' } = status;
    const message = cut(status.message ?? '', LONGEST_MESSAGE);
    const parts = textsOf(request, status);
    const texts = { ...cutAll(code >= 500 ? { ...parts, ...OF_NOBODY } : parts), resource, code, reason };
    this.#count({ ...texts, cause: causeOf({ ...texts, message }) }, message);
  }

  /** The refusals of the last hour, in no particular order. */
  *recent(): Generator<RefusedRequest> {
    const since = this.#now() - KEPT_MS;
    for (const { requests } of this.#users.values()) {
      for (const each of requests.values()) if (each.last >= since) yield each;
    }
  }

  #count(identity: Identity, message: string): void {
    const id = createHash('sha256')
      .update(JSON.stringify(Object.values(identity)))
      .digest('hex')
      .slice(0, 16);
    const now = this.#now();
    const before = this.#users.get(identity.user)?.requests.get(id);
    if (before) this.#remove(before);
    const { first, count } = before && before.last >= now - KEPT_MS ? before : { first: now, count: 0 };
    const user = this.#users.get(identity.user) ?? { bytes: 0, requests: new Map<string, RefusedRequest>() };
    // Puts both at the end.
    this.#users.delete(identity.user);
    this.#users.set(identity.user, user);
    const refused = { ...identity, id, message, first, last: now, count: count + 1 };
    user.requests.set(id, refused);
    this.#charge(user, bytesOf(refused));
    while (user.bytes > MAX_BYTES_OF_USER) this.#forgetOldest(user);
    while (this.#bytes > MAX_BYTES) this.#forgetOldest(this.#users.values().next().value as RefusedUser);
  }

  #forgetOldest({ requests }: RefusedUser): void {
    const oldest = requests.values().next().value as RefusedRequest;
    if (oldest.last >= this.#now() - KEPT_MS) this.#forgotten.inc();
    this.#remove(oldest);
  }

  #remove(refused: RefusedRequest): void {
    const user = this.#users.get(refused.user);
    if (!user?.requests.delete(refused.id)) return;
    this.#charge(user, -bytesOf(refused));
    if (user.requests.size === 0) this.#users.delete(refused.user);
  }

  #charge(user: RefusedUser, bytes: number): void {
    user.bytes += bytes;
    this.#bytes += bytes;
  }
}

const OF_NOBODY = { name: '', user: '', userAgent: '', field: '' };

/** What the client chose of the identity. */
function textsOf(request: ApiRequest, { details }: Status): Pick<Identity, TextOfClient> {
  const { apiVersion, subresource, namespace, name, verb } = request.info;
  return {
    apiVersion,
    subresource,
    namespace,
    name: name || request.nameInBody,
    verb,
    user: request.isAuthenticated ? request.user.name : '',
    userAgent: request.userAgent,
    field: details?.causes?.[0]?.field ?? '',
  };
}

function cutAll<T extends Record<string, string>>(texts: T): T {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, cut(text, LONGEST_TEXT)])) as T;
}

/** A copy, so that the request that the text is part of is not kept with it. */
function cut(text: string, longest: number): string {
  return Buffer.from(text.slice(0, longest), 'utf16le').toString('utf16le');
}

/** At most: texts of other than Latin letters take two bytes each. */
function bytesOf(refused: RefusedRequest): number {
  const letters = Object.values(refused).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
  return BYTES_EACH + 2 * letters;
}
