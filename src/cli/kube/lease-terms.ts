import { isObject } from '../../apimachinery/schema/is-object.js';
import type { LeaseTerm } from '../../apis/history/lease-term/lease-term.schema.js';
import { CommandError } from '../output/command-error.js';
import { type KubeClient, refusal } from '../../kube/kube-client.js';

/** A lease as commands name it. */
export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const GROUP_VERSION = 'history.coordination-apiserver.dev/v1';
const PAGE = 500;

/** Parses `NAMESPACE/NAME`, or `NAME` in the namespace default. Throws a CommandError. */
export function leaseName(text: string): LeaseName {
  const [name = '', namespace = 'default', ...rest] = text.split('/').reverse();
  if (name === '' || namespace === '' || rest.length > 0) throw new CommandError(`invalid lease "${text}": must be NAME or NAMESPACE/NAME`);
  return { namespace, name };
}

function notServed({ target: { server } }: KubeClient): CommandError {
  return new CommandError(
    `${server} serves no terms: it needs --runtime-config=${GROUP_VERSION}=true in place of what turns them off; they are recorded all the same`,
  );
}

/** Another server may have other objects under this name. */
function isTerm(object: object): object is LeaseTerm {
  const { spec, status } = object as { readonly spec?: unknown; readonly status?: unknown };
  if (!isObject(spec) || !isObject(status)) return false;
  const times = [spec['from'], status['until'], status['reason'], status['lapsedAt']];
  return isText(spec['holder']) && isText(spec['fencingToken']) && times.every((time) => isText(time ?? ''));
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** All terms of a lease that the server still has, the oldest first. Throws a CommandError, also if there is none. */
export async function termsOf(client: KubeClient, { namespace, name }: LeaseName): Promise<LeaseTerm[]> {
  const terms: LeaseTerm[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const query = new URLSearchParams({ fieldSelector: `spec.leaseName=${name}`, limit: String(PAGE), ...(token && { continue: token }) });
    const path = `/apis/${GROUP_VERSION}/namespaces/${encodeURIComponent(namespace)}/leaseterms?${query.toString()}`;
    const answer = await client.ask('GET', path);
    if (answer.status === 404) throw notServed(client);
    if (answer.status !== 200) throw refusal('cannot list terms', answer);
    for (const item of answer.body.items ?? []) {
      if (!isTerm(item)) throw new CommandError(`${client.target.server} lists objects that are no terms`);
      terms.push(item);
    }
    token = answer.body.metadata?.continue || undefined;
  }
  if (terms.length === 0) {
    throw new CommandError(`no terms of ${namespace}/${name} are kept: nobody has held that lease, or longer ago than --term-history`);
  }
  return terms.sort((one, other) => Number(one.spec.fencingToken) - Number(other.spec.fencingToken));
}
