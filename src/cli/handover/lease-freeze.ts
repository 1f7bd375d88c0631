import { type KubeClient, type KubeResponse, refusal } from '../../kube/kube-client.js';
import type { KubeObject } from '../../kube/kube-object.js';
import { CommandError } from '../output/command-error.js';
import { type LeaseRoute, type ServedBy, everyInstance } from './cluster-access.js';
import { NODE_LEASES } from './handed-lease.js';

const NAME = 'coordination-apiserver-handover';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const PROBE = '/api/v1/namespaces/kube-system/configmaps?dryRun=All';
const ANNOTATION = 'coordination-apiserver/freeze';

type Direction = 'takeover' | 'giveback';

export interface Freeze {
  readonly direction: Direction;
  /** Names this freeze in the refusals that it causes, so that it is not confused with an earlier one. */
  readonly id: string;
  /** ISO time from which renewals are accepted again, should nobody end the freeze. */
  readonly until: string;
  /** The user whose writes are accepted; absent: nobody's. */
  readonly exempt?: string;
  /** A lease with a later version than this may be written: it was copied. */
  readonly copiedAbove?: string;
}

/**
 * Makes kube-apiserver refuse writes of the leases that it stores itself, except for the heartbeats of nodes, by an admission policy. The
 * policy ends by itself: a renewal whose renewTime is later than `until` passes. Requests that are aggregated never meet it.
 */
export class LeaseFreeze {
  readonly #client: KubeClient;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async read(): Promise<Freeze | undefined> {
    const answer = await this.#client.ask('GET', `${POLICIES}/${NAME}`);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refusal('cannot read the admission policies of the cluster', answer);
    return JSON.parse(answer.body.metadata?.annotations?.[ANNOTATION] ?? '{}') as Freeze;
  }

  /** Creates or replaces the policy. */
  async set(freeze: Freeze): Promise<void> {
    await this.#put(POLICIES, policyOf(freeze));
    await this.#put(BINDINGS, binding());
  }

  /** Resolves once each of the instances of kube-apiserver refuses by this freeze; false if one does not before the deadline. */
  holdsAt(instances: readonly KubeClient[], { id }: Freeze, deadlineMs: number): Promise<boolean> {
    return everyInstance(instances, deadlineMs, async (instance) => {
      const { status, body } = await instance.ask('POST', PROBE, { metadata: { name: NAME, namespace: 'kube-system' } });
      return status >= 400 && (body.message ?? '').includes(id);
    });
  }

  async end(): Promise<void> {
    for (const path of [`${BINDINGS}/${NAME}`, `${POLICIES}/${NAME}`]) {
      const answer = await this.#client.ask('DELETE', path);
      if (answer.status !== 200 && answer.status !== 404) throw refusal('cannot delete the admission policy of the handover', answer);
    }
  }

  async #put(collection: string, object: KubeObject): Promise<void> {
    const path = `${collection}/${NAME}?fieldManager=${NAME}&force=true`;
    const answer: KubeResponse = await this.#client.ask('PATCH', path, object, 'application/apply-patch+yaml');
    if (answer.status !== 200 && answer.status !== 201) throw refusal('cannot write the admission policy of the handover', answer);
  }
}

/** The user name that the cluster knows the caller by. */
export async function ownUserName(client: KubeClient): Promise<string> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await client.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', review);
  const name = (answer.body.status as { userInfo?: { username?: string } } | undefined)?.userInfo?.username;
  if (name === undefined) {
    throw new CommandError(`the cluster does not say who this user is: ${answer.status} ${answer.body.message ?? ''}`);
  }
  return name;
}

function policyOf(freeze: Freeze): KubeObject {
  const isProbe = "request.resource.resource == 'configmaps'";
  const isLate = `request.operation != 'DELETE' && has(object.spec.renewTime) && timestamp(object.spec.renewTime) > timestamp('${freeze.until}')`;
  const isCopied =
    freeze.copiedAbove === undefined
      ? 'false'
      : `request.operation != 'CREATE' && int(oldObject.metadata.resourceVersion) > ${freeze.copiedAbove}`;
  const isExempt = freeze.exempt === undefined ? 'false' : `request.userInfo.username == ${JSON.stringify(freeze.exempt)}`;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: NAME, annotations: { [ANNOTATION]: JSON.stringify(freeze) } },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['coordination.k8s.io'], apiVersions: ['v1'], resources: ['leases'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
          { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'], resourceNames: [NAME] },
        ],
      },
      matchConditions: [{ name: 'no-heartbeat', expression: `request.namespace != '${NODE_LEASES}'` }],
      validations: [
        {
          expression: `!(${isProbe}) && (${isExempt} || (${isCopied}) || (${isLate}))`,
          message: `leases are being handed over to another server, try again in a moment (${freeze.id})`,
          reason: 'Forbidden',
        },
      ],
    },
  };
}

function binding(): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ['Deny'] },
  };
}

export interface HandoverStatus {
  /** Undefined if the cluster has no APIService of leases. */
  readonly route: Pick<LeaseRoute, 'service' | 'phase' | 'available' | 'message'> | undefined;
  readonly freeze: Pick<Freeze, 'direction' | 'until'> | undefined;
  readonly instances: readonly { readonly instance: string; readonly servedBy: ServedBy }[];
}

/** The table of `takeover --status`: what, and its state. */
export function statusRows({ route, freeze, instances }: HandoverStatus): string[][] {
  const byCluster = instances.some(({ servedBy }) => servedBy === 'cluster');
  return [
    ['APIService', route ? destinationOf(route.service) : `none${byCluster ? ': kube-apiserver serves leases itself' : ''}`],
    ['phase', route?.phase || '-'],
    ['available', route ? availabilityOf(route) : '-'],
    ['freeze', freeze ? `${freeze.direction} until ${freeze.until}: interrupted unless a command runs` : '-'],
    ...instances.map(({ instance, servedBy }) => [instance, servedBy]),
  ];
}

function destinationOf(service: LeaseRoute['service']): string {
  return service ? `${service.namespace}/${service.name}:${service.port}` : 'kube-apiserver';
}

function availabilityOf({ available, message }: Pick<LeaseRoute, 'available' | 'message'>): string {
  if (available) return 'yes';
  return message === '' ? 'no' : `no: ${message}`;
}
