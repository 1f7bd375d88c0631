import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import {
  MODIFIED,
  badRequest,
  conflict,
  expired,
  forbidden,
  internalError,
  notFound,
  requestTimeout,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
} from '../../apimachinery/errors/status-errors.js';
import { ClientGone } from '../../endpoints/exchange/read-body.js';
import type { RequestInfo } from '../../endpoints/request-info/request-info.js';
import type { ApiRequest } from '../../endpoints/request/api-request.js';
import { sleep, systemScheduler } from '../../time/scheduler.js';
import type { Fault, FaultStatus, PendingFault, RequestMatch, SeenRequest, TestDuration } from '../test-server.js';
import { durationOf } from './state-orders.js';

const ORDERED = 'a test ordered this';

const ERRORS: Readonly<Record<FaultStatus, (info: RequestInfo) => ApiError>> = {
  401: () => unauthorized(),
  403: (info) => forbidden(resourceOf(info), info.name, ORDERED),
  404: (info) => notFound(resourceOf(info), info.name),
  409: (info) => conflict(resourceOf(info), info.name, MODIFIED),
  410: () => expired(`too old resource version: ${ORDERED}`),
  429: () => tooManyRequests('too many requests, please try again later', 1),
  500: () => internalError(ORDERED),
  503: (info) => serviceUnavailable(resourceOf(info), info.verb),
  504: () => requestTimeout(),
};

const FAULT_STATUSES = Object.keys(ERRORS).map(Number) as FaultStatus[];

/** The error with which a request is refused, as the server itself words it. */
function faultError(status: FaultStatus, { retryAfter }: Fault, info: RequestInfo): ApiError {
  const { code = status, reason = '', message = '', details } = ERRORS[status](info).status;
  const { retryAfterSeconds, ...others } = details ?? {};
  const after = retryAfter ?? (status === 429 ? retryAfterSeconds : undefined);
  return new ApiError({ code, reason, message, details: { ...others, ...(after !== undefined && { retryAfterSeconds: after }) } });
}

function resourceOf({ apiGroup: group, resource }: RequestInfo) {
  return { group, resource };
}

const MAX_FAULTS = 1_000;
const MAX_REQUESTS = 1_000_000;
const LONGEST_DELAY_MS = 60_000;
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

export class RequestMatchValue implements RequestMatch {
  @IsOptional() @IsString() @MaxLength(64) verb?: string;
  @IsOptional() @IsString() @MaxLength(253) resource?: string;
  @IsOptional() @IsString() @MaxLength(253) namespace?: string;
  @IsOptional() @IsString() @MaxLength(253) name?: string;
  @IsOptional() @IsString() @MaxLength(1024) user?: string;
  @IsOptional() @IsString() @MaxLength(1024) userAgent?: string;
}

export class FaultValue extends RequestMatchValue implements Fault {
  @IsOptional() @IsInt() @Min(1) @Max(MAX_REQUESTS) count?: number;
  @IsOptional() @IsIn(FAULT_STATUSES) status?: FaultStatus;
  @IsOptional() @IsInt() @Min(0) @Max(3_600) retryAfter?: number;
  @IsOptional() @IsBoolean() hang?: boolean;
  @IsOptional() @IsIn(['before', 'after']) cut?: 'before' | 'after';
  @IsOptional() delay?: TestDuration;
}

/** Orders about requests that are to fail, or to wait. Each request passes here once its user is known, and before anything else is done. */
export class FaultOrders {
  #pending: { -readonly [K in keyof PendingFault]: PendingFault[K] }[] = [];
  #added = 0;
  #resumed: PromiseWithResolvers<void> | undefined;

  add(fault: Fault): PendingFault {
    const { status, hang, cut, delay, count = 1 } = fault;
    const effects = [status, hang || undefined, cut].filter((effect) => effect !== undefined);
    if (effects.length > 1) throw badRequest('status, hang and cut exclude each other');
    if (effects.length === 0 && delay === undefined) throw badRequest('nothing is to happen: give status, hang, cut or delay');
    if (delay !== undefined) durationOf('delay', delay, LONGEST_DELAY_MS);
    if (this.#pending.length >= MAX_FAULTS) throw tooManyRequests(`there are ${MAX_FAULTS} faults already`, 1);
    const pending = { ...fault, count, id: ++this.#added };
    this.#pending.push(pending);
    return { ...pending };
  }

  list(): PendingFault[] {
    return this.#pending.map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#pending = [];
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Resolves when the request may go on. Rejects with what it is to be answered. */
  async pass(request: ApiRequest, seen: Omit<SeenRequest, 'fault'> & { fault?: string }): Promise<void> {
    while (this.#resumed) await this.#until(request, this.#resumed.promise);
    const fault = this.#take(seen);
    if (!fault) return;
    seen.fault = describe(fault);
    if (fault.delay !== undefined) await this.#until(request, sleep(systemScheduler, durationOf('delay', fault.delay, LONGEST_DELAY_MS)));
    if (fault.hang) await this.#until(request, new Promise(() => undefined));
    if (fault.status !== undefined) throw faultError(fault.status, fault, request.info);
    if (fault.cut === 'after') cutAnswer(request);
    if (fault.cut !== 'before') return;
    request.raw.socket.destroy();
    throw new ClientGone();
  }

  /** Rejects if the request ends meanwhile. */
  async #until(request: ApiRequest, event: Promise<unknown>): Promise<void> {
    const { signal } = request;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    if (!signal.aborted) await Promise.race([event, ended]);
    if (request.aborted) throw request.aborted;
  }

  #take(seen: SeenRequest): PendingFault | undefined {
    const found = this.#pending.find((fault) => isMatch(fault, seen));
    if (!found) return undefined;
    found.count -= 1;
    if (found.count === 0) this.#pending.splice(this.#pending.indexOf(found), 1);
    return found;
  }
}

/** Whether a request is one of those that are selected. */
export function isMatch({ verb, resource, namespace, name, user, userAgent = '' }: RequestMatch, seen: SeenRequest): boolean {
  const isVerb = verb === undefined || verb === seen.verb || (verb === 'write' && WRITES.includes(seen.verb));
  const isEqual = (wanted: string | undefined, found: string): boolean => wanted === undefined || wanted === found;
  return (
    isVerb &&
    isEqual(resource, seen.resource) &&
    isEqual(namespace, seen.namespace) &&
    isEqual(name, seen.name) &&
    isEqual(user, seen.user) &&
    seen.userAgent.startsWith(userAgent)
  );
}

function describe({ status, hang, cut, delay }: Fault): string {
  const effect = status !== undefined ? String(status) : hang ? 'hang' : cut ? `cut ${cut}` : '';
  return [delay === undefined ? '' : 'delay', effect].filter(Boolean).join(', ');
}

/** The handler does its work, and the connection ends when it begins to answer. */
function cutAnswer({ response, raw }: ApiRequest): void {
  response.writeHead = () => {
    raw.socket.destroy();
    return response;
  };
}
