import type { WireObject } from '../support/wire-object.js';
import { send } from '../differential/servers/prepare-server.js';

/** What a server says about itself, by a name that is the same on every server: `column leases HOLDER`, `role view get leases`. */
export type Facts = ReadonlyMap<string, string>;

const SCHEMAS = ['api/v1', 'apis/coordination.k8s.io/v1', 'apis/coordination.k8s.io/v1beta1', 'apis/coordination.k8s.io/v1alpha2']
  .concat(['apis/events.k8s.io/v1', 'apis/rbac.authorization.k8s.io/v1'])
  .concat(['apis/authentication.k8s.io/v1', 'apis/authorization.k8s.io/v1']);
const COLLECTIONS = [
  ...['api/v1/namespaces', 'api/v1/events', 'api/v1/serviceaccounts', 'apis/events.k8s.io/v1/events', 'apis/coordination.k8s.io/v1/leases'],
  ...['v1beta1', 'v1alpha2'].map((version) => `apis/coordination.k8s.io/${version}/leasecandidates`),
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((name) => `apis/rbac.authorization.k8s.io/v1/${name}`),
];
const AS_TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const ADMIN = { authorization: 'Bearer differential-admin' };

/** Reads the documents of a server whose tokens are those of the differential tool. */
export async function factsOf(url: string): Promise<Facts> {
  const facts = new Map<string, string>();
  for (const path of SCHEMAS) noteLeaves(facts, `openapi ${path}`, await json(url, `/openapi/v3/${path}`));
  for (const path of COLLECTIONS) {
    const { columnDefinitions = [] } = (await json(url, `/${path}`, AS_TABLE)) as { columnDefinitions?: Column[] };
    for (const { name, ...column } of columnDefinitions) facts.set(`column ${path} ${name}`, JSON.stringify(column));
  }
  const { items } = (await json(url, '/apis/rbac.authorization.k8s.io/v1/clusterroles')) as { items: Role[] };
  for (const { metadata, rules } of items) {
    for (const right of (rules ?? []).flatMap(rightsOf)) facts.set(`role ${metadata.name} ${right}`, '');
  }
  noteMetrics(facts, (await send(url, '/metrics', { headers: ADMIN })).text);
  return facts;
}

interface Column {
  readonly name: string;
}

interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly Rule[] | null;
}

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

async function json(url: string, path: string, headers: Record<string, string> = {}): Promise<WireObject> {
  const { status, json, text } = await send(url, path, { headers: { ...ADMIN, ...headers } });
  if (status === 200) return json;
  throw new Error(`${url}${path} answered ${status}: ${text.slice(0, 200)}`);
}

/** One fact for each value in a document. */
function noteLeaves(facts: Map<string, string>, name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) facts.set(name, JSON.stringify(value));
  else for (const [key, inner] of Object.entries(value)) noteLeaves(facts, `${name} ${key}`, inner);
}

function rightsOf({ verbs, apiGroups = [], resources = [], nonResourceURLs = [] }: Rule): string[] {
  const targets = [
    ...apiGroups.flatMap((group) => resources.map((name) => (group === '' ? name : `${name}.${group}`))),
    ...nonResourceURLs,
  ];
  return targets.flatMap((target) => verbs.map((verb) => `${verb} ${target}`));
}

/** Names and labels of metrics, and which feature gates are on. */
function noteMetrics(facts: Map<string, string>, text: string): void {
  for (const line of text.split('\n')) {
    const gate = /^kubernetes_feature_enabled\{name="(\w+)",stage="(\w*)"\} (\d)/.exec(line);
    if (gate) facts.set(`gate ${gate[1]}`, `${gate[2] || 'GA'} ${gate[3] === '1' ? 'on' : 'off'}`);
    const type = /^# TYPE (\S+) (\S+)/.exec(line);
    if (type) facts.set(`metric ${type[1]}`, type[2] ?? '');
  }
}
