import { UNKNOWN_CREDENTIALS } from '../../../../src/kube/connection-failure.js';
import { KubernetesError } from '../../../kube-client/src/kubernetes-error.js';
import { LockError } from '../lock-error.js';

/** Runs requests for a caller that does not know that they go to an API server. */
export async function asLockErrors<T>(requests: () => Promise<T>): Promise<T> {
  try {
    return await requests();
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    // A repeated conflict means that others changed it.
    if (error.status === 409) throw new LockError('unreachable', `the lease changes too often: ${error.message}`, { cause: error });
    const remedy = error.status === 401 ? `: ${UNKNOWN_CREDENTIALS}` : '';
    throw new LockError('refused', `the server refused: ${error.message} (${error.status})${remedy}`, { cause: error });
  }
}
