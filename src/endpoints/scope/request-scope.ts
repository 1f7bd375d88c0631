import type { ExpectedObject } from '../../apimachinery/codec/serializer/serializer.js';
import type { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { fieldManagerOf } from '../../registry/objects/object-values.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import type { CountFrames } from '../metrics/watch-metrics.js';
import { OutputNegotiation } from '../negotiation/output-negotiation.js';
import { ObjectEncoding } from './object-encoding.js';
import type { ScopeServices } from './scope-services.js';
import type { ApiRequest } from '../request/api-request.js';

/** Everything that handlers need to serve one resource in one version. Built at start (upstream: handlers.RequestScope). */
export class RequestScope {
  readonly definition: ResourceDefinition;
  /** Such as `coordination.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly listKind: string;
  readonly expected: ExpectedObject;
  readonly negotiation: OutputNegotiation;
  readonly encoding: ObjectEncoding;
  readonly fieldManager: FieldManager;
  readonly countFrames: CountFrames;

  constructor(
    readonly store: ResourceStore,
    readonly version: ResourceVersionDefinition,
    readonly services: ScopeServices,
  ) {
    const { definition } = store;
    this.definition = definition;
    const { group, kind, resource } = definition;
    this.apiVersion = groupVersion(group, version.name);
    this.listKind = `${kind}List`;
    this.expected = {
      group,
      hubGroup: definition.hubGroup,
      version: version.name,
      kind,
      schema: version.schema,
      kinds: services.kinds,
    };
    this.negotiation = new OutputNegotiation(services.serializers, true, definition.columns.length > 0);
    this.encoding = new ObjectEncoding(definition, version);
    this.fieldManager = fieldManagerOf(definition);
    this.countFrames = services.watches.watchMetrics.of(group, version.name, resource);
  }

  /** The namespace and name in the URL; '' as the namespace of a cluster-scoped resource, even if its path contains one. */
  target(request: ApiRequest): RequestTarget {
    const { namespace, name } = request.info;
    return { version: this.version, namespace: this.definition.namespaced ? namespace : '', name };
  }
}
