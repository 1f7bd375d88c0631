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
import { type Order, type OrderReceivers, ORDERS } from './order-book.js';
import { ORDERS_PATH } from './orders-path.js';

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
