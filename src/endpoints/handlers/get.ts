import { type ListOptions, parseListOptions } from '../../apimachinery/options/list-options.js';
import { parseGetOptions } from '../../apimachinery/options/query-options.js';
import { WATCH_BYTES } from '../ledger/held-bytes.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import type { ApiRequest } from '../request/api-request.js';
import { acceptsGzip, sendNothing } from '../response/send-response.js';
import type { RequestScope } from '../scope/request-scope.js';
import { HandshakeRefused, upgradeOf, webSocketSink } from '../web-socket/web-socket-sink.js';
import { EventEncoder } from '../writers/event-encoder.js';
import { includeObject } from '../writers/table.js';
import { type WatchStreamOptions, WatchStream, gzipSink, httpSink } from '../writers/watch-stream.js';
import { writeList, writeObject } from '../writers/write-object.js';
import { holdSelectors } from './decode-body.js';

/** GET of one object (apiserver handlers/get.go GetResource). */
export async function getResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseGetOptions(request.query);
  const stored = await scope.store.get(scope.target(request), options);
  writeObject(scope, request, choice, 200, { object: stored });
}

/** GET of a collection: a list, or with `?watch` a watch (apiserver handlers/get.go ListResource). */
export async function listResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseListOptions(request.query);
  holdSelectors(request, options);
  if (options.watch) return serveWatch(scope, request, choice, options);
  const page = await scope.store.list(scope.target(request), options);
  await writeList(scope, request, choice, page);
}

/** The deprecated `/watch/` paths, which watch regardless of `?watch`. */
export async function watchResource(scope: RequestScope, request: ApiRequest): Promise<void> {
  const choice = scope.negotiation.require(request.accept);
  const options = parseListOptions(request.query, true);
  holdSelectors(request, options);
  return serveWatch(scope, request, choice, options);
}

/**
 * Starts a watch and streams it as the response, over a WebSocket if the client asks for one (apiserver handlers/watch.go). Resolves once
 * the stream is established; client, timeout, store or server end it later.
 */
async function serveWatch(scope: RequestScope, request: ApiRequest, choice: OutputChoice, options: ListOptions): Promise<void> {
  request.hold(WATCH_BYTES);
  const stream = new WatchStream();
  const watch = await scope.store.watch(scope.target(request), options, stream.receive);
  let streamOptions: WatchStreamOptions;
  try {
    streamOptions = optionsOf(scope, request, choice, options);
  } catch (error) {
    watch.close();
    if (error instanceof HandshakeRefused) return sendNothing(request, error.code, { 'sec-websocket-version': '13' });
    throw error;
  }
  request.response.on('close', () => stream.end());
  scope.services.watches.inFlight.startStream(request, () => stream.end());
  if (request.aborted) stream.end();
  stream.start(watch, streamOptions);
}

function optionsOf(scope: RequestScope, request: ApiRequest, choice: OutputChoice, options: ListOptions): WatchStreamOptions {
  const include = choice.transform?.kind === 'Table' ? includeObject(request.query) : 'Metadata';
  const { serializer } = scope.negotiation.requireStream(request.accept);
  const { allowWatchBookmarks: bookmarks } = options;
  const initialEventsEnd = bookmarks && options.sendInitialEvents === true;
  const upgrade = upgradeOf(request.raw);
  const contentType = serializer.watchMediaType ?? serializer.mediaType;
  const compressed = initialEventsEnd && scope.services.watches.compression && readsGzipMembers(request);
  return {
    encoder: new EventEncoder(scope, { choice, include, framed: !upgrade, bookmarks, initialEventsEnd }),
    sink: upgrade
      ? webSocketSink(request, upgrade, {
          text: serializer.mediaType === 'application/json',
          allowedOrigins: scope.services.watches.webSocketOrigins,
        })
      : compressed
        ? gzipSink(httpSink(request, contentType, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' }))
        : httpSink(request, contentType),
    timeoutMs: timeoutMs(options, scope.services.watches.minRequestTimeoutSeconds),
    bookmarks,
    count: (frames) => {
      scope.countFrames(frames);
      for (const { length } of frames) request.progress.countSent(length);
    },
    initialEvents: options.sendInitialEvents === true,
    onTooSlow: () => request.progress.tooSlow(),
  };
}

/** Browsers accept gzip, but end with the first member (Chromium net/filter/gzip_source_stream.cc). */
function readsGzipMembers({ headers }: ApiRequest): boolean {
  return acceptsGzip(headers['accept-encoding']) && headers['sec-fetch-site'] === undefined;
}

/** The client's timeout, or a random one between the minimum and twice that, so that watches do not all reconnect at once. */
function timeoutMs({ timeoutSeconds }: ListOptions, minimumSeconds: number): number {
  return 1000 * (timeoutSeconds || minimumSeconds * (1 + Math.random()));
}
