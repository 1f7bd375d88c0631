import { type ProtoMessage, field, list, pointer, text } from './proto-field.js';

/** Messages of coordination and of the core by kind, from their generated.proto. */
export const RESOURCE_MESSAGES: Readonly<Record<string, ProtoMessage>> = {
  Lease: { metadata: field(1, 'ObjectMeta'), spec: field(2, 'LeaseSpec') },
  LeaseList: { metadata: field(1, 'ListMeta'), items: list(2, 'Lease') },
  LeaseSpec: {
    holderIdentity: pointer(1, 'text'),
    leaseDurationSeconds: pointer(2, 'integer'),
    acquireTime: pointer(3, 'MicroTime'),
    renewTime: pointer(4, 'MicroTime'),
    leaseTransitions: pointer(5, 'integer'),
    strategy: pointer(6, 'text'),
    preferredHolder: pointer(7, 'text'),
  },
  LeaseCandidate: { metadata: field(1, 'ObjectMeta'), spec: field(2, 'LeaseCandidateSpec') },
  LeaseCandidateList: { metadata: field(1, 'ListMeta'), items: list(2, 'LeaseCandidate') },
  LeaseCandidateSpec: {
    leaseName: text(1),
    pingTime: pointer(2, 'MicroTime'),
    renewTime: pointer(3, 'MicroTime'),
    binaryVersion: text(4),
    emulationVersion: text(5),
    strategy: text(6),
  },
  Namespace: { metadata: field(1, 'ObjectMeta'), spec: field(2, 'NamespaceSpec'), status: field(3, 'NamespaceStatus') },
  NamespaceList: { metadata: field(1, 'ListMeta'), items: list(2, 'Namespace') },
  NamespaceSpec: { finalizers: list(1, 'text') },
  NamespaceStatus: { phase: text(1) },
};
