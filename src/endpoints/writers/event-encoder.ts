import type { Encoded, Serializer, WatchEventType } from '../../apimachinery/codec/serializer/serializer.js';
import { ApiError } from '../../apimachinery/errors/api-error.js';
import { internalError } from '../../apimachinery/errors/status-errors.js';
import { type KubeObject, partialObjectMetadataSchema } from '../../apimachinery/meta/object-meta.schema.js';
import { statusSchema } from '../../apimachinery/meta/status.schema.js';
import { tableSchema } from '../../apimachinery/meta/table.schema.js';
import type { StoredObject, StoreEvent, WatchItem } from '../../storage/object-store.js';
import type { OutputChoice, Transform } from '../negotiation/output-negotiation.js';
import type { RequestScope } from '../scope/request-scope.js';
import { type IncludeObject, partialObjectMetadata, tableOf, wrongForm } from './table.js';

/** The form in which a watch receives its events. */
export interface EventForm {
  readonly choice: OutputChoice;
  readonly include: IncludeObject;
  /** False for WebSocket messages, which need no length prefix. */
  readonly framed: boolean;
  /** Whether the client asked for bookmarks, including the one that ends the initial events. */
  readonly bookmarks: boolean;
  readonly initialEventsEnd: boolean;
}

const INITIAL_EVENTS_END = Object.freeze({ 'k8s.io/initial-events-end': 'true' });

/**
 * Frames of plain events, encoded once per event and form and shared by all watchers of the event for as long as it is in use. The key is
 * the scope, because each version has different bytes.
 */
const sharedFrames = new WeakMap<RequestScope, Map<string, WeakMap<StoreEvent, Buffer>>>();

/** Encodes the items that a store delivers as the frames of a watch (apiserver handlers/response.go watchEncoder). */
export class EventEncoder {
  readonly #scope: RequestScope;
  readonly #form: EventForm;
  readonly #serializer: Serializer;
  readonly #shared: WeakMap<StoreEvent, Buffer>;
  #tableHeaders = true;

  constructor(scope: RequestScope, form: EventForm) {
    this.#scope = scope;
    this.#form = form;
    this.#serializer = form.choice.serializer;
    this.#shared = framesOf(scope, `${this.#serializer.mediaType} ${form.framed}`);
  }

  /** The frame of an item; undefined if this watch does not receive it. Throws if events do not have the requested form. */
  frame(item: WatchItem): Buffer | undefined {
    switch (item.kind) {
      case 'event':
        return this.#event(item.event);
      case 'bookmark':
        return this.#wants(item.initialEventsEnd) ? this.bookmark(item.revision, item.initialEventsEnd) : undefined;
      case 'error':
        return this.#error(item.error);
    }
  }

  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const bookmark = this.#scope.encoding.bookmark(revision, initialEventsEnd ? INITIAL_EVENTS_END : undefined);
    const { transform } = this.#form.choice;
    if (!transform) return this.#framed('BOOKMARK', this.#scope.encoding.encodeBookmark(bookmark, this.#serializer));
    // The mark is an annotation, so it needs metadata even if the client wants no objects.
    const include = initialEventsEnd && this.#form.include === 'None' ? 'Metadata' : this.#form.include;
    return this.#framed(
      'BOOKMARK',
      this.#transformed(transform, bookmark, () => this.#scope.encoding.bookmarkInRow(bookmark), include),
    );
  }

  #wants(initialEventsEnd: boolean): boolean {
    return initialEventsEnd ? this.#form.initialEventsEnd : this.#form.bookmarks;
  }

  #event(event: StoreEvent): Buffer {
    const { transform } = this.#form.choice;
    if (transform) return this.#framed(event.type, this.#transformedState(transform, event.object));
    let frame = this.#shared.get(event);
    if (!frame) {
      frame = this.#framed(event.type, this.#scope.encoding.eventObject(event.object, this.#serializer));
      this.#shared.set(event, frame);
    }
    return frame;
  }

  #error(error: Error): Buffer {
    const { status } = error instanceof ApiError ? error : internalError(error.message, error);
    return this.#framed('ERROR', this.#serializer.encodeEventObject(statusSchema, status));
  }

  #transformedState(transform: Transform, stored: StoredObject): Encoded {
    const hub = this.#scope.encoding.hub(stored);
    return this.#transformed(transform, hub, () => this.#scope.encoding.versioned(stored), this.#form.include);
  }

  #transformed(transform: Transform, hub: KubeObject, object: () => KubeObject, include: IncludeObject): Encoded {
    if (transform.kind === 'PartialObjectMetadataList') throw wrongForm(this.#scope, transform.kind, false);
    if (transform.kind !== 'Table') {
      return this.#serializer.encodeEventObject(partialObjectMetadataSchema, partialObjectMetadata(hub.metadata, transform.version));
    }
    const headers = this.#tableHeaders;
    this.#tableHeaders = false;
    const options = { version: transform.version, include, headers, now: this.#scope.services.now() };
    const metadata = { resourceVersion: hub.metadata.resourceVersion };
    return this.#serializer.encodeEventObject(tableSchema, tableOf(this.#scope.definition, metadata, [{ hub, object }], options));
  }

  #framed(type: WatchEventType, object: Encoded): Buffer {
    const frame = this.#serializer.encodeWatchEvent(type, object, this.#form.framed);
    return typeof frame === 'string' ? Buffer.from(frame) : frame;
  }
}

function framesOf(scope: RequestScope, form: string): WeakMap<StoreEvent, Buffer> {
  const forms = sharedFrames.get(scope) ?? new Map<string, WeakMap<StoreEvent, Buffer>>();
  const frames = forms.get(form) ?? new WeakMap<StoreEvent, Buffer>();
  sharedFrames.set(scope, forms.set(form, frames));
  return frames;
}
