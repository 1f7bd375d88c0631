import { type LeaseWire, LEASE_SECONDS } from './lease-wire.js';

const KEY = Buffer.from('"resourceVersion":"');

export const leaseJson: LeaseWire = {
  mediaType: 'application/json',

  encode: (name, resourceVersion) =>
    JSON.stringify({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, ...(resourceVersion === '' ? {} : { resourceVersion }) },
      spec: {
        holderIdentity: `${name}_6a1b0f0e-0000-4000-8000-000000000000`,
        leaseDurationSeconds: LEASE_SECONDS,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    }),

  versionOf: (body) => {
    const at = body.indexOf(KEY);
    return at < 0 ? '' : body.toString('latin1', at + KEY.length, body.indexOf('"', at + KEY.length));
  },
};
