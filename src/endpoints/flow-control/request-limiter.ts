import type { UserInfo } from '../../registry/resource/request-context.js';
import type { Query } from '../request-info/query.js';
import type { RequestInfo } from '../request-info/request-info.js';
import type { Ticket } from './ticket.js';

/** Schema and level applied to a request, for the headers of its response. */
export interface Classification {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

/** The properties of a request that the limits depend on. */
export interface LimitedRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly query: Query;
  /** With its time limit in milliseconds; absent for a long-running request. */
  readonly admission: { readonly limitMs?: number | undefined };
  /** Set by limiters that classify. */
  classification?: Classification;
}

/** Decides how many requests execute concurrently, and which wait. */
export interface RequestLimiter {
  /**
   * Returns a ticket that executes, or one that waits (or is rejected but not notified yet) and calls `decided` later. Undefined means that
   * the request is not limited.
   */
  admit(request: LimitedRequest): Ticket | undefined;
  close(): void;
}
