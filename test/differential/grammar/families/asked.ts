import type { Identity, Plain, Question } from '../../question.js';

/** The parts of a question that families vary. */
export interface Asked {
  readonly identity?: Identity;
  readonly query?: Question['query'];
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, unless `contentType` says otherwise. */
  readonly body?: unknown;
  readonly contentType?: string;
}

const JSON_TYPE = 'application/json';
export const APPLY = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';

export function asked(
  method: string,
  path: string,
  { identity = 'admin', query = [], headers = {}, body, contentType }: Asked = {},
): Question {
  const content = body === undefined ? {} : { body: { encoding: 'json', contentType: contentType ?? JSON_TYPE, value: body } as const };
  return { method, path, query, headers, identity, ...content };
}

/** The path of a collection in the namespace of the sequence. */
export function within(groupVersion: string, resource: string, namespace = '{{ns}}'): string {
  return `/${groupVersion === 'v1' ? 'api' : 'apis'}/${groupVersion}/namespaces/${namespace}/${resource}`;
}

export const LEASES = within('coordination.k8s.io/v1', 'leases');
export const lease = (name: string, more: Plain = {}): Plain => ({ metadata: { name }, ...more });
