import type { KubeClient } from '../../kube/kube-client.js';

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
