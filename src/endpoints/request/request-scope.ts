import type { KindRegistry } from '../../apimachinery/codec/kind-registry.js';
import type { ExpectedObject } from '../../apimachinery/codec/serializer.js';
import type { Authorizer } from '../../auth/authorization/authorizer.js';
import type { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { fieldManagerOf } from '../../registry/field-manager-of.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource-definition.js';
import type { ServedResource } from '../../registry/resource-registry.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource-store.js';
import type { CountFrames, WatchMetrics } from '../metrics/watch-metrics.js';
import { OutputNegotiation } from '../negotiation/output-negotiation.js';
import type { Serializers } from '../negotiation/serializers.js';
import type { RequestsUnderWay } from '../pipeline/requests-under-way.js';
import type { ErrorWriter } from '../writers/error-writer.js';
import { ObjectEncoding } from '../writers/object-encoding.js';
import type { ApiRequest } from './api-request.js';

/** What all scopes share. */
export interface ScopeServices {
  readonly serializers: Serializers;
  readonly errors: ErrorWriter;
  readonly kinds: KindRegistry;
  readonly authorizer: Authorizer;
  readonly underWay: RequestsUnderWay;
  readonly watchMetrics: WatchMetrics;
  readonly minRequestTimeoutSeconds: number;
  /** Whose pages may use WebSockets with their user's certificate (`--web-socket-allowed-origins`). */
  readonly webSocketOrigins: ReadonlySet<string>;
  readonly now: () => number;
}

/**
 * Everything that handlers need to serve one resource in one version, put together when the server starts (upstream:
 * handlers.RequestScope).
 */
export class RequestScope {
  readonly store: ResourceStore;
  readonly definition: ResourceDefinition;
  readonly version: ResourceVersionDefinition;
  /** `coordination.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly listKind: string;
  readonly expected: ExpectedObject;
  readonly negotiation: OutputNegotiation;
  readonly encoding: ObjectEncoding;
  readonly fieldManager: FieldManager;
  readonly countFrames: CountFrames;

  constructor(
    served: ServedResource,
    readonly services: ScopeServices,
  ) {
    this.store = served.store;
    this.definition = served.definition;
    this.version = served.version;
    const { group, kind, resource } = served.definition;
    this.apiVersion = groupVersion(group, served.version.name);
    this.listKind = `${kind}List`;
    this.expected = {
      group,
      hubGroup: served.definition.hubGroup,
      version: served.version.name,
      kind,
      schema: served.version.schema,
      kinds: services.kinds,
    };
    this.negotiation = new OutputNegotiation(services.serializers, true, served.definition.columns.length > 0);
    this.encoding = new ObjectEncoding(served.definition, served.version);
    this.fieldManager = fieldManagerOf(served.definition);
    this.countFrames = services.watchMetrics.of(group, served.version.name, resource);
  }

  /** The namespace and name of the URL; a cluster-scoped resource has no namespace even where its path shows one. */
  target(request: ApiRequest): RequestTarget {
    const { namespace, name } = request.info;
    return { version: this.version, namespace: this.definition.namespaced ? namespace : '', name };
  }
}
