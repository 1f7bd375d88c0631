import { Inject, Injectable } from '@nestjs/common';
import type { ExpectedObject, KindRegistry } from '../../apimachinery/codec/serializer/serializer.js';
import type { FieldManager } from '../../apimachinery/managedfields/field-manager.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { type Authorizer, AUTHORIZER } from '../../auth/authorization/authorizer.js';
import { fieldManagerOf } from '../../registry/objects/object-values.js';
import type { ResourceDefinition, ResourceVersionDefinition } from '../../registry/resource/resource-definition.js';
import type { RequestTarget, ResourceStore } from '../../registry/resource/resource-store.js';
import { type Clock, CLOCK } from '../../telemetry/clock.js';
import { type ServerMetrics, SERVER_METRICS } from '../../telemetry/metrics/metric-registry.js';
import { type CountFrames, WatchMetrics } from '../metrics/request-series.js';
import { MediaTypes, OutputNegotiation } from '../negotiation/output-negotiation.js';
import type { Serializers } from '../negotiation/serializers.js';
import type { ApiRequest } from '../request/api-request.js';
import { RequestsInFlight } from '../request/requests-in-flight.js';
import { ErrorWriter } from '../response/error-writer.js';
import { ServingSettings } from '../settings/serving.settings.js';
import { ObjectEncoding } from './object-encoding.js';

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

@Injectable()
export class WatchServices {
  readonly watchMetrics: WatchMetrics;
  readonly minRequestTimeoutSeconds: number;
  /** Origins whose pages may use WebSockets with their user's certificate. */
  readonly webSocketOrigins: ReadonlySet<string>;

  /** Whether watches that begin with the objects are compressed. */
  readonly compression: boolean;

  constructor(
    readonly inFlight: RequestsInFlight,
    @Inject(SERVER_METRICS) { main }: ServerMetrics,
    { minRequestTimeout: minRequestTimeoutSeconds, webSocketAllowedOrigins, watchListCompression }: ServingSettings,
  ) {
    this.watchMetrics = new WatchMetrics(main);
    this.minRequestTimeoutSeconds = minRequestTimeoutSeconds;
    this.compression = watchListCompression;
    this.webSocketOrigins = new Set(webSocketAllowedOrigins);
  }
}

/** Services shared by the scopes of all resources. */
@Injectable()
export class ScopeServices {
  readonly serializers: Serializers;
  readonly kinds: KindRegistry;

  constructor(
    { serializers, kinds }: MediaTypes,
    readonly errors: ErrorWriter,
    @Inject(AUTHORIZER) readonly authorizer: Authorizer,
    readonly watches: WatchServices,
    @Inject(CLOCK) readonly now: Clock,
  ) {
    this.serializers = serializers;
    this.kinds = kinds;
  }
}
