import { type ProtoMessage, field, list, text } from './proto-field.js';

/** The discovery documents of meta/v1 by kind, from its generated.proto. */
export const DISCOVERY_MESSAGES: Readonly<Record<string, ProtoMessage>> = {
  APIGroup: {
    name: text(1),
    versions: list(2, 'GroupVersionForDiscovery'),
    preferredVersion: field(3, 'GroupVersionForDiscovery'),
    serverAddressByClientCIDRs: list(4, 'ServerAddressByClientCIDR'),
  },
  APIGroupList: { groups: list(1, 'APIGroup') },
  GroupVersionForDiscovery: { groupVersion: text(1), version: text(2) },
  ServerAddressByClientCIDR: { clientCIDR: text(1), serverAddress: text(2) },
  APIResourceList: { groupVersion: text(1), resources: list(2, 'APIResource') },
  APIResource: {
    name: text(1),
    namespaced: field(2, 'boolean'),
    kind: text(3),
    verbs: field(4, 'Verbs'),
    shortNames: list(5, 'text'),
    singularName: text(6),
    categories: list(7, 'text'),
    group: text(8),
    version: text(9),
    storageVersionHash: text(10),
  },
  Verbs: { items: list(1, 'text') },
  APIVersions: { versions: list(1, 'text'), serverAddressByClientCIDRs: list(2, 'ServerAddressByClientCIDR') },
};
