import { ClientProcess } from '../clients/client-process.js';

const TIMES = ['--lease-duration=15s', '--renew-deadline=10s', '--retry-period=2s'];

/** client-go's elections with the times of kube-controller-manager: one leader and one candidate for each lease. */
export class Elections {
  readonly #candidates = new Map<string, ClientProcess[]>();

  constructor(program: string, kubeconfig: string, leases: readonly string[]) {
    for (const lease of leases) {
      const candidate = (identity: string) =>
        new ClientProcess(program, [`--kubeconfig=${kubeconfig}`, `--name=${lease}`, `--identity=${lease}-${identity}`, ...TIMES]);
      this.#candidates.set(lease, [candidate('a'), candidate('b')]);
    }
  }

  /** Resolves once each lease has a leader. */
  async start(): Promise<void> {
    await Promise.all([...this.#candidates.values()].map((both) => Promise.race(both.map((each) => each.line(/^leading/)))));
  }

  /** What each election has printed of beginnings and ends; a quiet one has one line, its first leader's. */
  changes(): Record<string, string[]> {
    const entries = [...this.#candidates].map(([lease, both]) => [
      lease,
      both.flatMap(({ lines }) => lines.filter((line) => /^(leading|lost)/.test(line))),
    ]);
    return Object.fromEntries(entries) as Record<string, string[]>;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#candidates.values()].flat().map((each) => each.kill()));
  }
}
