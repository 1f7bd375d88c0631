import type { UserInfo } from '../../registry/request-context.js';
import type { Query } from '../request/query.js';
import type { RequestInfo } from '../request/request-info.js';
import type { Ticket } from './ticket.js';

/** What was applied to a request, for its answer's headers. */
export interface Classification {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
}

/** What the limits look at. */
export interface LimitedRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly query: Query;
  /** How long it may take, in milliseconds; absent for one that is long-running. */
  readonly limitMs?: number;
  /** Set by limiters that classify. */
  classification?: Classification;
}

/** Decides how many requests are served at a time, and who waits. */
export interface RequestLimiter {
  /**
   * A ticket that executes, or one that waits (or is rejected, but not told yet) and calls `decided` later. Undefined: this request is
   * not limited.
   */
  admit(request: LimitedRequest): Ticket | undefined;
  close(): void;
}
