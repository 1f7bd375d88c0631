import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, methodNotAllowed, resourceNotFound } from '../apimachinery/errors/status-errors.js';
import { SYSTEM_MASTERS } from '../auth/authentication/authenticator.js';
import { forbiddenRequest } from '../auth/authorization/authorizer.js';
import { readBody } from '../endpoints/exchange/read-body.js';
import { OpenApiDocuments } from '../endpoints/openapi/openapi-documents.js';
import { RequestPipeline } from '../endpoints/pipeline/request-pipeline.js';
import type { ApiRequest } from '../endpoints/request/api-request.js';
import { sendNothing, sendResponse } from '../endpoints/response/send-response.js';
import { RouteTable } from '../endpoints/routing/route-table.js';
import { type FaultOrders, FaultValue, RequestMatchValue } from './orders/fault-orders.js';
import { type LeaseOrders, AwaitedHolderValue, LeaseNameValue, TakeOverValue } from './orders/lease-orders.js';
import { type ClockOrders, type StateOrders, type WatchOrders, ClockMove, StoreLatency, checked } from './orders/state-orders.js';
import type { SeenRequests } from './seen-requests.js';
import type { TestOrders } from './test-server.js';

/** What carries orders out. */
export interface OrderReceivers {
  readonly clock: ClockOrders;
  readonly leases: LeaseOrders;
  readonly faults: FaultOrders;
  readonly watches: WatchOrders;
  readonly state: StateOrders;
  readonly seen: SeenRequests;
}

/** One order, as a request below ORDERS_PATH. */
interface Order {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly description: string;
  /** Checks what the client sent (in the body, or for GET in the query), and carries it out. Rejects with an ApiError. */
  give(receivers: OrderReceivers, value: unknown): Promise<unknown>;
}

class Nothing {}

function order<T extends object>(
  method: Order['method'],
  path: string,
  description: string,
  type: new () => T,
  run: (receivers: OrderReceivers, value: T) => unknown,
): Order {
  return {
    method,
    path,
    description,
    give: (receivers, value) => Promise.resolve().then(() => run(receivers, checked(type, value ?? {}))),
  };
}

const OF_LEASE = 'The body has the name of the lease, and its namespace unless that is default.';
const MATCHING = 'verb, resource, namespace, name, user and userAgent select requests.';

const ORDERS: Readonly<Record<keyof TestOrders, Order>> = {
  moveClock: order('POST', 'clock', 'Move the clock forward by a time such as 20s.', ClockMove, ({ clock }, move) => clock.move(move)),
  takeOver: order('POST', 'leases/take-over', `Hold a lease as holder. ${OF_LEASE}`, TakeOverValue, ({ leases }, taken) =>
    leases.takeOver(taken),
  ),
  release: order('POST', 'leases/release', `Free a lease. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) => leases.release(lease)),
  deleteLease: order('POST', 'leases/delete', `Delete a lease. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) => leases.delete(lease)),
  expire: order('POST', 'leases/expire', `Move the clock until a lease has expired. ${OF_LEASE}`, LeaseNameValue, ({ leases }, lease) =>
    leases.expire(lease),
  ),
  waitForHolder: order('POST', 'leases/wait', `Wait until holder has a lease. ${OF_LEASE}`, AwaitedHolderValue, ({ leases }, awaited) =>
    leases.waitFor(awaited),
  ),
  addFault: order(
    'POST',
    'faults',
    `Refuse the next count requests with a status, cut their connections, let them hang, or delay them. ${MATCHING}`,
    FaultValue,
    ({ faults }, fault) => faults.add(fault),
  ),
  faults: order('GET', 'faults', 'List the faults that are still to happen.', Nothing, ({ faults }) => faults.list()),
  clearFaults: order('DELETE', 'faults', 'Drop all faults.', Nothing, ({ faults }) => faults.clear()),
  pause: order('POST', 'pause', 'Let all requests wait.', Nothing, ({ faults }) => faults.pause()),
  resume: order('POST', 'resume', 'Serve the requests that wait.', Nothing, ({ faults }) => faults.resume()),
  slowStore: order('POST', 'store', 'Let each write take latency longer, such as 50ms.', StoreLatency, ({ state }, latency) =>
    state.slow(latency),
  ),
  dropWatches: order('POST', 'watches/drop', 'End all watches.', Nothing, ({ watches }) => watches.drop()),
  expireHistory: order('POST', 'watches/expire', 'Answer watches and lists from earlier versions with 410.', Nothing, ({ watches }) =>
    watches.expireHistory(),
  ),
  goaway: order('POST', 'connections/goaway', 'Ask HTTP/2 clients to use new connections.', Nothing, ({ watches }) => watches.goaway()),
  snapshot: order('POST', 'snapshot', 'Remember the state for the next reset.', Nothing, ({ state }) => state.snapshot()),
  reset: order('POST', 'reset', 'Return to the last snapshot, and drop all faults.', Nothing, ({ faults, seen, state }) => {
    faults.clear();
    faults.resume();
    seen.clear();
    state.restore();
  }),
  requests: order('GET', 'requests', `List the requests that the server has seen. ${MATCHING}`, RequestMatchValue, ({ seen }, match) =>
    seen.list(match),
  ),
};

/** The orders as calls: with what they send, or with one value of it. */
export function testOrders(receivers: OrderReceivers): TestOrders {
  const calls = Object.entries(ORDERS).map(([name, order]) => [name, (value?: unknown) => order.give(receivers, value)]);
  const all = Object.fromEntries(calls) as Record<keyof TestOrders, (value?: unknown) => Promise<never>>;
  return { ...all, moveClock: (by) => all.moveClock({ by }), slowStore: (latency) => all.slowStore({ latency }) };
}

/** Injection token of what carries orders out. */
export const ORDER_RECEIVERS = Symbol('OrderReceivers');

const PATHS = [...new Set(Object.values(ORDERS).map(({ path }) => path))];
const MAX_BYTES = 64 * 1024;
const JSON_TYPE = 'application/json';

/** Orders over HTTP, which only system:masters may give. */
@Controller('testing')
export class OrdersController {
  constructor(
    private readonly pipeline: RequestPipeline,
    @Inject(ORDER_RECEIVERS) private readonly receivers: OrderReceivers,
    routes: RouteTable,
    documents: OpenApiDocuments,
  ) {
    routes.prefix(ORDERS_PATH, ORDERS_PATH.slice(0, -1));
    documents.addForReaders(Object.entries(ORDERS).map(([id, order]) => operationOf(id, order)));
  }

  @Get()
  serve(@Req() { raw }: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pipeline.serve(raw, reply, (request) => this.#give(request));
  }

  async #give(request: ApiRequest): Promise<void> {
    const { user, info, method, url } = request;
    if (!user.groups.includes(SYSTEM_MASTERS)) throw forbiddenRequest(user, info, 'orders are only for system:masters');
    const here = Object.values(ORDERS).filter(({ path }) => ORDERS_PATH + path === url.path);
    if (here.length === 0) throw resourceNotFound(`orders are ${PATHS.join(', ')}`);
    const order = here.find((each) => each.method === method);
    if (!order) throw methodNotAllowed();
    const value = method === 'GET' ? Object.fromEntries(new URLSearchParams(url.rawQuery)) : parsed(await readBody(request.raw, MAX_BYTES));
    const answer = await order.give(this.receivers, value);
    if (answer === undefined) sendNothing(request, 204);
    else sendResponse(request, 200, JSON_TYPE, `${JSON.stringify(answer)}\n`);
  }
}

function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw badRequest(`the body is no JSON: ${(error as Error).message}`);
  }
}

function operationOf(id: string, { method, path, description }: Order) {
  return {
    ...{ id, path: ORDERS_PATH + path, description, tag: 'testing', parameters: [], codes: [200], produces: [JSON_TYPE] },
    method: method.toLowerCase() as Lowercase<Order['method']>,
    consumes: method === 'POST' ? [JSON_TYPE] : [],
  };
}

/** Below this path a test server takes orders. */
export const ORDERS_PATH = '/testing/';
