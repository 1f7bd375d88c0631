import { Inject, Injectable } from '@nestjs/common';
import { type KindRegistry, type Serializer, KIND_REGISTRY } from '../../apimachinery/codec/serializer/serializer.js';
import { SERIALIZERS } from '../../apimachinery/codec/serializers.js';
import { notAcceptable } from '../../apimachinery/errors/status-errors.js';
import type { Query } from '../request-info/query.js';
import { Serializers } from './serializers.js';

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

/** One entry of an Accept header: `application/json;as=Table;q=0.5`. */
interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Limits on the entries that count, and on the parameters of one. Clients send a handful; upstream reads all of a header of 1 MiB. */
const MAX_ENTRIES = 1000;
const MAX_PARAMETERS = 100;

/**
 * Parses an Accept header as upstream does (munnerz/goautoneg): entries that are not media types are skipped, and the rest is sorted by
 * quality, then by specificity. q=0 only sorts last; it excludes nothing.
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',', MAX_ENTRIES)) {
    const clause = parseClause(part.trim());
    if (clause) clauses.push(clause);
  }
  return sortClauses(clauses);
}

function parseClause(text: string): AcceptClause | undefined {
  const [mediaRange = '', ...rest] = text.split(';', MAX_PARAMETERS);
  const slash = mediaRange.indexOf('/');
  const type = (slash < 0 ? mediaRange : mediaRange.slice(0, slash)).trim();
  let subtype = slash < 0 ? '' : mediaRange.slice(slash + 1);
  if (subtype === '') {
    if (type !== '*') return undefined;
    subtype = '*';
  }
  if (subtype.includes('/')) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  let quality = 1;
  for (const part of rest) {
    const equals = part.indexOf('=');
    const value = equals < 0 ? '' : part.slice(equals + 1);
    if (value === '' || value.includes('=')) continue;
    const name = part.slice(0, equals).trim();
    if (name === 'q') quality = Number.isNaN(Number.parseFloat(value)) ? 0 : Number(value) || 0;
    else parameters[name] = value.trim();
  }
  return { type, subtype: subtype.trim(), quality, parameters };
}

/** Up to this many entries, Go sorts by insertion. */
const FEW = 12;

/** An insertion sort, as Go uses for few entries. The order below is not transitive, so the algorithm affects the result. */
function sortClauses(clauses: AcceptClause[]): AcceptClause[] {
  if (clauses.length > FEW) return clauses.sort((a, b) => Number(precedes(b, a)) - Number(precedes(a, b)));
  for (let i = 1; i < clauses.length; i += 1) {
    for (let j = i; j > 0; j -= 1) {
      const [before, after] = [clauses[j - 1], clauses[j]];
      if (!before || !after || !precedes(after, before)) break;
      clauses[j - 1] = after;
      clauses[j] = before;
    }
  }
  return clauses;
}

function precedes(a: AcceptClause, b: AcceptClause): boolean {
  return a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}

/** The media types that the server reads and writes. */
@Injectable()
export class MediaTypes {
  /** In order of preference. */
  readonly serializers = new Serializers(SERIALIZERS);
  /** For documents and errors. */
  readonly plain = new OutputNegotiation(this.serializers, false);

  constructor(@Inject(KIND_REGISTRY) readonly kinds: KindRegistry) {}
}

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

/** Whether to indent JSON: `?pretty` decides, and without it curl, wget and browsers get indented JSON (apiserver negotiation/negotiate.go isPrettyPrint). */
export function wantsPretty(query: Query, userAgent: string): boolean {
  const pretty = query.first('pretty');
  if (pretty) return TRUE.has(pretty);
  return userAgent.startsWith('curl') || userAgent.startsWith('Wget') || userAgent.startsWith('Mozilla/5.0');
}
