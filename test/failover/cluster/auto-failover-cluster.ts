import type { DatabaseCluster } from './database-cluster.js';
export class AutoFailoverCluster {
  static prepare(_: object): Promise<DatabaseCluster> {
    throw new Error('no');
  }
}
