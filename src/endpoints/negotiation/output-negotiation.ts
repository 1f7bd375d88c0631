import type { Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { notAcceptable } from '../../apimachinery/errors/status-errors.js';
import { type AcceptClause, parseAccept } from './accept-header.js';
import type { Serializers } from './serializers.js';

type TransformKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** A form of meta.k8s.io, in the given version, that replaces the objects themselves. */
export interface Transform {
  readonly kind: TransformKind;
  readonly version: 'v1' | 'v1beta1';
}

export interface OutputChoice {
  readonly serializer: Serializer;
  readonly transform?: Transform;
  /** The Accept parameter `pretty=1`. */
  readonly pretty: boolean;
}

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
/** Limit on cached choices, and on the length of cached headers. */
const CACHE_LIMIT = 512;

/**
 * Chooses the media type and form of a response from the Accept header (apiserver endpoints/handlers/negotiation/negotiate.go). Entries
 * with parameters that the endpoint does not support are skipped. Choices are cached, because clients repeat the same few headers.
 */
export class OutputNegotiation {
  readonly #choices = new Map<string, OutputChoice | null>();

  /** `transforms`: whether the endpoint supports Tables and PartialObjectMetadata; `tables`: whether that includes Tables. */
  constructor(
    readonly serializers: Serializers,
    readonly transforms: boolean,
    readonly tables = transforms,
  ) {}

  /** Undefined if no entry is acceptable. */
  choose(accept: string | undefined): OutputChoice | undefined {
    const header = accept ?? '';
    let choice = this.#choices.get(header);
    if (choice === undefined) {
      choice = this.#negotiate(header) ?? null;
      if (this.#choices.size < CACHE_LIMIT && header.length < CACHE_LIMIT) this.#choices.set(header, choice);
    }
    return choice ?? undefined;
  }

  /** Like `choose`, but throws upstream's 406. */
  require(accept: string | undefined): OutputChoice {
    const choice = this.choose(accept);
    if (!choice) throw notAcceptable(this.serializers.mediaTypes);
    return choice;
  }

  /** Like `require`, for a stream of events. */
  requireStream(accept: string | undefined): OutputChoice {
    const choice = this.require(accept);
    if (choice.serializer.watchMediaType === undefined) throw notAcceptable(this.serializers.streamMediaTypes);
    return choice;
  }

  #negotiate(header: string): OutputChoice | undefined {
    if (header === '') return { serializer: this.serializers.preferred, pretty: false };
    for (const clause of parseAccept(header)) {
      for (const serializer of this.serializers.all) {
        if (!matchesMediaType(clause, serializer.mediaType)) continue;
        const choice = this.#accept(clause, serializer);
        if (choice) return choice;
      }
    }
    return undefined;
  }

  #accept({ parameters }: AcceptClause, serializer: Serializer): OutputChoice | undefined {
    const { as, g, v, stream, sv, pretty } = parameters;
    if (sv || (stream && !streams(serializer, stream))) return undefined;
    const choice = { serializer, pretty: pretty === '1' };
    if (as === undefined && g === undefined && v === undefined) return choice;
    const transform = this.transforms ? transformOf(parameters) : undefined;
    if (!transform || (transform.kind === 'Table' && !(this.tables && serializer.encodesTables))) return undefined;
    return { ...choice, transform };
  }
}

function streams(serializer: Serializer, schema: string): boolean {
  return serializer.watchMediaType !== undefined && schema === 'watch';
}

/** The form selected by `as`, `g` and `v`; undefined if unknown. */
function transformOf({ as, g, v }: AcceptClause['parameters']): Transform | undefined {
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1') || !TRANSFORMS.has(as ?? '')) return undefined;
  return { kind: as as TransformKind, version: v };
}

/** Whether an entry of Accept matches a media type. */
export function matchesMediaType(clause: AcceptClause, mediaType: string): boolean {
  const [type, subtype] = mediaType.split('/');
  if (clause.type === '*' && clause.subtype === '*') return true;
  return clause.type === type && (clause.subtype === subtype || clause.subtype === '*');
}
