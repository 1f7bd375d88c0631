const ROOT = '/apis/coordination.k8s.io/v1';

/** The path of a namespace's leases, or of one. */
export const leases = (namespace: string, name = '') => `${ROOT}/namespaces/${namespace}/leases${name && `/${name}`}`;

export const microTime = (ms = Date.now()) => new Date(ms).toISOString().replace('Z', '000Z');

export const leaseOf = (name: string, spec: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { holderIdentity: `${name}-holder`, leaseDurationSeconds: 15, renewTime: microTime(), ...spec },
});
