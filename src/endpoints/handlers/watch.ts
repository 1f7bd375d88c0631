import type { ListOptions } from '../../apimachinery/options/list-options.js';
import type { OutputChoice } from '../negotiation/output-negotiation.js';
import { WATCH_BYTES } from '../ledger/held-objects.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';
import { upgradeOf } from '../web-socket/upgrade.js';
import { HandshakeRefused, webSocketSink } from '../web-socket/web-socket-sink.js';
import { acceptsGzip } from '../response/accepts-gzip.js';
import { sendNothing } from '../response/send-response.js';
import { EventEncoder } from '../writers/event-encoder.js';
import { gzipSink } from '../writers/gzip-sink.js';
import { includeObject } from '../writers/table.js';
import { type WatchStreamOptions, httpSink, WatchStream } from '../writers/watch-stream.js';

/**
 * Starts a watch and streams it as the response, over a WebSocket if the client asks for one (apiserver handlers/watch.go). Resolves once
 * the stream is established; client, timeout, store or server end it later.
 */
export async function serveWatch(scope: RequestScope, request: ApiRequest, choice: OutputChoice, options: ListOptions): Promise<void> {
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
