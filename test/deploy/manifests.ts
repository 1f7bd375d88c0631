import { parseAllDocuments } from 'yaml';

type Labels = Readonly<Record<string, string>>;

interface Source {
  readonly name: string;
  readonly key?: string;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: { readonly secretKeyRef: Source } }[];
  readonly envFrom?: readonly { readonly configMapRef: Source }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly securityContext: object;
  readonly [probe: `${string}Probe`]: { readonly httpGet?: { readonly path: string; readonly port: string; readonly scheme: string } };
}

export interface Pod {
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: Source;
    readonly secret?: { readonly secretName: string };
  }[];
  readonly affinity?: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: Pod;
}

/** The fields of an object that the tests read; each kind has some of them. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly data?: Labels;
  readonly stringData?: Labels;
  readonly spec: {
    readonly selector: Labels & { readonly matchLabels: Labels };
    readonly podSelector: { readonly matchLabels: Labels };
    readonly template: PodTemplate;
    readonly jobTemplate: { readonly spec: { readonly template: PodTemplate } };
    readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
    readonly ingress: readonly NetworkRule[];
    readonly egress: readonly NetworkRule[];
    readonly endpoints: readonly { readonly port: string; readonly authorization: { readonly credentials: Source } }[];
    readonly groups: unknown;
    readonly secretName: string;
    readonly dnsNames: readonly string[];
  };
}

interface NetworkRule {
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
}

/** The objects of a rendering. Throws for invalid YAML and duplicate keys. */
export class Manifests {
  readonly all: readonly Manifest[];

  constructor(text: string) {
    this.all = parseAllDocuments(text).flatMap((document) => {
      const [error] = document.errors;
      if (error) throw error;
      const object = document.toJS() as Manifest | null;
      return object ? [object] : [];
    });
  }

  kind(kind: string): Manifest[] {
    return this.all.filter((manifest) => manifest.kind === kind);
  }

  /** The only object of its kind. */
  one(kind: string): Manifest {
    const [first, ...others] = this.kind(kind);
    if (first === undefined || others.length > 0) throw new Error(`${others.length + (first ? 1 : 0)} objects of kind ${kind}`);
    return first;
  }

  /** The pods that are started with the server's image. */
  get pods(): PodTemplate[] {
    const direct = [...this.kind('Deployment'), ...this.kind('Job')].map(({ spec }) => spec.template);
    return [...direct, ...this.kind('CronJob').map(({ spec }) => spec.jobTemplate.spec.template)];
  }
}

export function containersOf({ initContainers = [], containers }: Pod): Container[] {
  return [...initContainers, ...containers];
}

/** Whether each requested label is present. An empty selector would select every pod, which must not occur here. */
export function selects(wanted: Labels, labels: Labels): boolean {
  return Object.keys(wanted).length > 0 && Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
