export type Plain = Record<string, unknown>;

/** How a body is encoded. `raw` sends a text unchanged, `base64` arbitrary bytes. */
export type BodyEncoding = 'json' | 'yaml' | 'cbor' | 'protobuf' | 'raw' | 'base64';

export interface QuestionBody {
  readonly encoding: BodyEncoding;
  readonly contentType: string | undefined;
  readonly value: unknown;
}

/** The user whose token a question carries. */
export type Identity = 'admin' | 'editor' | 'reader' | 'named' | 'deputy' | 'agent' | 'nobody' | 'wrong';

/**
 * One request sent to both servers. Texts may contain `{{ns}}`, the namespace of the sequence, and values from earlier responses:
 * `{{rv:PATH}}`, `{{first-rv:PATH}}` and `{{uid:PATH}}` of the object at a path, and `{{continue}}`.
 */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly identity: Identity;
  /** Whether it is asked over HTTP/2 instead of HTTP/1.1. */
  readonly http2?: boolean;
  readonly body?: QuestionBody;
}

/** The groups that figures are reported for. */
export type ResourceGroup = 'leases' | 'leasecandidates' | 'namespaces' | 'elsewhere';

/** Questions asked one after the other, in a namespace of their own. */
export interface Sequence {
  /** Its number under the seed. */
  readonly at: number;
  readonly questions: readonly Question[];
}

/** The group of a question's resource, by its path. */
export function groupOf({ path }: Question): ResourceGroup {
  if (path.includes('/leasecandidates')) return 'leasecandidates';
  if (path.includes('/leases')) return 'leases';
  return /^\/api\/v1\/(watch\/)?namespaces(\/[^/]*(\/(status|finalize))?)?\/?$/.test(path) ? 'namespaces' : 'elsewhere';
}

/** A question in one line of text. */
export function describeQuestion({ method, path, query, identity, headers, http2, body }: Question): string {
  const parameters = query.map(([name, value]) => `${name}=${value}`).join('&');
  const shown = body && (typeof body.value === 'string' ? body.value : JSON.stringify(body.value));
  const lines = [
    `${identity}${http2 ? ' over HTTP/2' : ''}: ${method} ${path}${parameters === '' ? '' : `?${parameters}`}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body ? [`${body.encoding} ${body.contentType ?? '-'} ${(shown ?? '').slice(0, 1500)}`] : []),
  ];
  return lines.join(' | ');
}
