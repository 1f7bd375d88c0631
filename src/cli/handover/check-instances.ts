import type { KubeClient } from '../../kube/kube-client.js';
import type { KubeTarget } from '../../kube/kube-target.js';
import { type HandedLeases, isHeld } from './handed-lease.js';
import { type HandoverCheck, ok, problem, warning } from './handover-check.js';

const OLDEST_MINOR = 30;
/** Connections that are opened to a single address, to see whether they arrive at one process. */
const SAMPLES = 4;
const IDENTITY_LABEL = 'apiserver.kubernetes.io/identity';

type Instance = Pick<KubeClient, 'target'>;

/** The control plane of a cluster, as far as it can be seen from here. */
export interface ControlPlane {
  readonly instances: readonly Instance[];
  /** Addresses of instances that cannot be reached from here. */
  readonly unreachable: readonly string[];
  /** Opens a connection of its own. */
  readonly connect: (target: KubeTarget) => Pick<KubeClient, 'askText' | 'close'>;
}

/**
 * Whether each kube-apiserver can be followed: a freeze and a switch hold only once every instance has been seen to obey them. `leases` are
 * the cluster's, among which running instances may have one of their own.
 */
export async function checkInstances(plane: ControlPlane, leases?: HandedLeases): Promise<HandoverCheck> {
  const { instances, unreachable } = plane;
  if (unreachable.length > 0) {
    const names = unreachable.join(', ');
    return problem(
      'instances',
      `cannot reach kube-apiserver at ${names}, so cannot see whether it follows: run this where it can be reached`,
    );
  }
  const identities = leases ? runningIdentities(leases) : 0;
  if (identities > instances.length) {
    return problem(
      'instances',
      `${identities} kube-apiservers renew their identity, but only ${instances.length} of them can be seen: run this where each can be reached`,
    );
  }
  const [only] = instances;
  if (instances.length === 1 && only && (await answersAsSeveral(only, plane))) {
    return problem(
      'instances',
      `several kube-apiservers answer at ${only.target.server}, and it cannot be seen whether each follows: run this where each has an address of its own`,
    );
  }
  return ok('instances', `${instances.length} of kube-apiserver, each reachable`);
}

/** Each instance must be able to freeze elections. */
export async function checkVersions(instances: readonly Pick<KubeClient, 'ask'>[]): Promise<HandoverCheck> {
  const versions = await Promise.all(
    instances.map(async (instance) => {
      const { body } = await instance.ask('GET', '/version');
      const { gitVersion = '', minor = '0' } = body as { gitVersion?: string; minor?: string };
      return { gitVersion, minor: Number.parseInt(minor, 10) };
    }),
  );
  const old = versions.find(({ minor }) => !(minor >= OLDEST_MINOR));
  if (old) {
    return problem('version', `kube-apiserver ${old.gitVersion} is older than 1.${OLDEST_MINOR}, which has no ValidatingAdmissionPolicy`);
  }
  const all = [...new Set(versions.map(({ gitVersion }) => gitVersion))].sort();
  if (all.length === 1) return ok('version', `kube-apiserver ${all[0]}`);
  return warning('version', `kube-apiserver ${all.join(' and ')}: if an upgrade is under way, let it end first`);
}

/** A load balancer shows itself by processes that started at different times. */
async function answersAsSeveral({ target }: Instance, { connect }: ControlPlane): Promise<boolean> {
  const starts = new Set<number>();
  for (let sample = 0; sample < SAMPLES; sample++) {
    const client = connect(target);
    try {
      const [series] = (await kubeMetrics(client, 'process_start_time_seconds')) ?? [];
      if (series) starts.add(series.value);
    } finally {
      client.close();
    }
  }
  return starts.size > 1;
}

function runningIdentities({ leases }: HandedLeases): number {
  const now = Date.now();
  return [...leases.values()].filter((lease) => lease.metadata?.labels?.[IDENTITY_LABEL] === 'kube-apiserver' && isHeld(lease, now)).length;
}

export interface KubeMetric {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LABEL = /([a-z_]+)="([^"]*)"/g;

/** The series of one metric of a kube-apiserver; undefined if it does not show them. */
export async function kubeMetrics(client: Pick<KubeClient, 'askText'>, name: string): Promise<KubeMetric[] | undefined> {
  const { status, text } = await client.askText('/metrics');
  if (status !== 200) return undefined;
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.map((line) => ({
    labels: Object.fromEntries([...line.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value])),
    value: Number(line.slice(line.lastIndexOf(' ') + 1)),
  }));
}
