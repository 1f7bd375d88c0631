import path from 'node:path';

/** Of an etcd with one member, on two ports of this machine. */
export function etcdFlags(dir: string, clients: number, peers: number): string[] {
  const [client, peer] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  return [
    ...[`--data-dir=${path.join(dir, 'etcd')}`, `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
  ];
}
