import { createHash } from 'node:crypto';
import type { Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { omitEmpty } from '../../apimachinery/go/omit-empty.js';
import { listMetaSchema, objectFields } from '../../apimachinery/meta/object-meta.schema.js';
import { field, list, requiredField, string, struct, typeMetaFields } from '../../apimachinery/schema/struct-type.js';
import type { ResourceRegistry, ServedGroup } from '../../registry/resource-registry.js';
import type { ResourceDefinition } from '../../registry/resource/resource-definition.js';
import { matchesMediaType, parseAccept, wantsPretty } from '../negotiation/output-negotiation.js';
import type { Serializers } from '../negotiation/serializers.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendNothing, sendResponse } from '../response/send-response.js';

const PARAMETERS = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The complete discovery of /api or /apis in one document (apiserver endpoints/discovery/aggregated), for clients that request it. */
export class AggregatedDiscovery {
  readonly #document: object;
  readonly #etag: string;
  readonly #serializers: Serializers;
  /** Keyed by media type and indentation. */
  readonly #encoded = new Map<string, Buffer>();

  /** `core`: whether this is the document of /api. */
  constructor(registry: ResourceRegistry, core: boolean, serializers: Serializers) {
    const groups = registry.groups.filter((group) => (group.name === '') === core);
    this.#document = {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: groups.map((group) => groupEntry(registry, group)),
    };
    this.#etag = `"${createHash('sha512').update(JSON.stringify(this.#document)).digest('hex').toUpperCase()}"`;
    this.#serializers = serializers;
  }

  /** Sends the document if an entry of Accept asks for this form. Returns whether it did. */
  answer(request: ApiRequest): boolean {
    const serializer = this.#negotiate(request.accept ?? '');
    if (!serializer) return false;
    const headers = { etag: this.#etag, vary: 'Accept', 'cache-control': 'public' };
    // As upstream, neither lists nor `*` are supported.
    if (request.headers['if-none-match'] === this.#etag) {
      sendNothing(request, 304, headers);
      return true;
    }
    const body = this.#bytes(serializer, wantsPretty(request.query, request.userAgent));
    sendResponse(request, 200, `${serializer.mediaType}${PARAMETERS}`, body, headers);
    return true;
  }

  #bytes(serializer: Serializer, pretty: boolean): Buffer {
    const form = `${serializer.mediaType}${pretty ? ' pretty' : ''}`;
    const bytes = this.#encoded.get(form) ?? Buffer.from(serializer.encodeObject(aggregatedDiscoverySchema, this.#document, { pretty }));
    this.#encoded.set(form, bytes);
    return bytes;
  }

  #negotiate(accept: string): Serializer | undefined {
    for (const clause of parseAccept(accept)) {
      const { as, g, v } = clause.parameters;
      if (as !== 'APIGroupDiscoveryList' || g !== 'apidiscovery.k8s.io' || v !== 'v2') continue;
      const serializer = this.#serializers.all.find(({ mediaType }) => matchesMediaType(clause, mediaType));
      if (serializer) return serializer;
    }
    return undefined;
  }
}

function groupEntry(registry: ResourceRegistry, { name, versions }: ServedGroup): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version,
      resources: registry
        .inGroupVersion(name, version)
        .map(({ definition }) => definition)
        .sort((a, b) => (a.resource < b.resource ? -1 : 1))
        .map((definition) => resourceEntry(registry, definition)),
      freshness: 'Current',
    })),
  };
}

function resourceEntry(registry: ResourceRegistry, definition: ResourceDefinition): object {
  const responseKind = { group: '', version: '', kind: definition.kind };
  const subresources = registry.subresourcesOf(definition).map(({ name, verbs, definition: own, of }) => ({
    subresource: name,
    responseKind: of ? { group: own.group, version: own.storageVersion.name, kind: own.kind } : responseKind,
    verbs: [...verbs].sort(),
  }));
  return {
    resource: definition.resource,
    responseKind,
    scope: definition.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular,
    verbs: [...definition.verbs].sort(),
    ...omitEmpty({ shortNames: definition.shortNames, categories: definition.categories, subresources }),
  };
}

const API = 'io.k8s.api.apidiscovery.v2';

const responseKind = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.GroupVersionKind',
  'Kind of the returned objects; an empty group or version is that of the enclosing entry.',
  [
    requiredField('group', 1, string(), 'Group.'),
    requiredField('version', 2, string(), 'Version.'),
    requiredField('kind', 3, string(), 'Kind.'),
  ],
);

const subresourceDiscovery = struct(`${API}.APISubresourceDiscovery`, 'A subresource.', [
  requiredField('subresource', 1, string(), 'Its name.'),
  field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
  requiredField('verbs', 4, list(string()), 'Supported verbs.'),
]);

const resourceDiscovery = struct(`${API}.APIResourceDiscovery`, 'A resource and its supported verbs.', [
  requiredField('resource', 1, string(), 'Plural name.'),
  field('responseKind', 2, responseKind, 'optional', 'Kind of the returned objects.'),
  requiredField('scope', 3, string(), 'Cluster or Namespaced.'),
  requiredField('singularResource', 4, string(), 'Singular name.'),
  requiredField('verbs', 5, list(string()), 'Supported verbs.'),
  field('shortNames', 6, list(string()), 'omitEmpty', 'Short names for use on the command line.'),
  field('categories', 7, list(string()), 'omitEmpty', 'Categories, such as all, that the resource belongs to.'),
  field('subresources', 8, list(subresourceDiscovery), 'omitEmpty', 'Its subresources.'),
]);

const versionDiscovery = struct(`${API}.APIVersionDiscovery`, 'A version of a group and its resources.', [
  requiredField('version', 1, string(), 'The version.'),
  field('resources', 2, list(resourceDiscovery), 'omitEmpty', 'Its resources.'),
  field('freshness', 3, string(), 'omitEmpty', 'Current or Stale.'),
]);

const groupDiscovery = struct(`${API}.APIGroupDiscovery`, 'A group and its versions, preferred first.', [
  ...objectFields('Its name.'),
  field('versions', 2, list(versionDiscovery), 'omitEmpty', 'Its versions.'),
]);

const aggregatedDiscoverySchema = struct(`${API}.APIGroupDiscoveryList`, 'All groups, versions and resources in one document.', [
  ...typeMetaFields(),
  field('metadata', 1, listMetaSchema, 'always', 'Metadata of the list.'),
  requiredField('items', 2, list(groupDiscovery), 'The groups.'),
]);
