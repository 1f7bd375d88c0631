import { deleteOptionsSchema } from '../../apimachinery/meta/delete-options.schema.js';
import { statusSchema } from '../../apimachinery/meta/status.schema.js';
import { watchEventSchema } from '../../apimachinery/meta/watch-event.schema.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { struct } from '../../apimachinery/schema/type-builders.js';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from '../../registry/resource/resource-definition.js';
import type { Subresource } from '../../registry/resource-registry.js';
import { type ApiOperation, operationGroup } from './api-operation.js';
import { listType } from './list-type.js';
import { NAME, NAMESPACE, PRETTY, QUERY_PARAMETERS } from './operation-parameters.js';

export const OBJECT_MEDIA = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'];
const STREAM_MEDIA = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch', 'application/cbor-seq'];
const PATCH_MEDIA = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/apply-patch+cbor',
];

/** metav1.Patch: any document. */
const patchSchema = struct('io.k8s.apimachinery.pkg.apis.meta.v1.Patch', 'A patch, in the format given by the Content-Type.', []);

/** All operations of one version of a resource, in the order useful to a reader. */
export function resourceOperations(
  definition: ResourceDefinition,
  version: ResourceVersionDefinition,
  subresources: readonly Subresource[] = [],
): ApiOperation[] {
  const builder = new ResourceOperations(definition, version);
  const below = subresources.flatMap((subresource) => builder.subresource(subresource));
  return [...builder.collection(), ...builder.item(), ...below, ...builder.watches()];
}

type Draft = Pick<ApiOperation, 'method' | 'path' | 'action' | 'description'> & Partial<ApiOperation> & { name: string };

class ResourceOperations {
  readonly #definition: ResourceDefinition;
  readonly #version: ResourceVersionDefinition;
  readonly #root: string;
  readonly #scoped: string;
  /** The part of operation ids that tells the scope: `Namespaced`, or empty. */
  readonly #scope: string;

  constructor(definition: ResourceDefinition, version: ResourceVersionDefinition) {
    const prefix = definition.group === '' ? '/api' : '/apis';
    this.#definition = definition;
    this.#version = version;
    this.#root = `${prefix}/${groupVersion(definition.group, version.name)}`;
    this.#scoped = definition.namespaced ? `namespaces/{namespace}/${definition.resource}` : definition.resource;
    this.#scope = definition.namespaced ? 'Namespaced' : '';
  }

  collection(): ApiOperation[] {
    const { kind, namespaced, resource } = this.#definition;
    const path = `${this.#root}/${this.#scoped}`;
    const list = { method: 'get', action: 'list', parameters: QUERY_PARAMETERS.list, responseSchema: this.#list(), produces: [...OBJECT_MEDIA, ...STREAM_MEDIA] } as const;
    return this.#allowed([
      ['list', { ...list, name: `list*${this.#scope}${kind}`, path, description: `List or watch objects of kind ${kind}.` }],
      ...(namespaced
        ? [['list', { ...list, name: `list*${kind}ForAllNamespaces`, path: `${this.#root}/${resource}`, description: `List or watch objects of kind ${kind} in all namespaces.` }] as [Verb, Draft]]
        : []),
      ['create', { method: 'post', action: 'post', name: `create*${this.#scope}${kind}`, path, description: `Create a ${kind}.`, parameters: QUERY_PARAMETERS.write, body: { schema: this.#version.schema, required: true }, codes: [200, 201, 202] }],
      ['deletecollection', { method: 'delete', action: 'deletecollection', name: `delete*Collection${this.#scope}${kind}`, path, description: `Delete the selected objects of kind ${kind}.`, parameters: QUERY_PARAMETERS.deleteCollection, body: { schema: deleteOptionsSchema, required: false }, responseSchema: statusSchema }],
    ]);
  }

  item(): ApiOperation[] {
    const { kind } = this.#definition;
    const path = `${this.#root}/${this.#scoped}/{name}`;
    const name = (verb: string) => `${verb}*${this.#scope}${kind}`;
    const { returnsDeleted, strategy } = this.#definition;
    // Upstream's document says Status for namespaces, although the deletion that removes one returns it.
    const responseSchema = returnsDeleted && !strategy.markedForDeletion ? this.#version.schema : statusSchema;
    const remove = { method: 'delete', action: 'delete', parameters: QUERY_PARAMETERS.delete, body: { schema: deleteOptionsSchema, required: false } } as const;
    return [
      ...this.#readsAndWrites(path, '', this.#definition.verbs),
      ...this.#allowed([['delete', { ...remove, name: name('delete'), path, description: `Delete a ${kind}.`, responseSchema, codes: [200, 202] }]]),
    ];
  }

  subresource(subresource: Subresource): ApiOperation[] {
    const { name, verbs } = subresource;
    const path = `${this.#root}/${this.#scoped}/{name}/${name}`;
    return [...this.#readsAndWrites(path, name, verbs), ...this.#creates(path, subresource)];
  }

  #creates(path: string, { name: part, verbs, definition }: Subresource): ApiOperation[] {
    const { group, kind, storageVersion: version } = definition;
    const draft: Draft = {
      method: 'post',
      action: 'post',
      name: `create*${this.#scope}${this.#definition.kind}${part.charAt(0).toUpperCase()}${part.slice(1)}`,
      path,
      description: `Create the ${part} of a ${this.#definition.kind}.`,
      parameters: QUERY_PARAMETERS.write,
      body: { schema: version.schema, required: true },
      responseSchema: version.schema,
      codes: [200, 201, 202],
      kind: { group, version: version.name, kind },
      example: { kind, apiVersion: groupVersion(group, version.name), ...(version.example ?? { metadata: {} }) },
    };
    return this.#allowed([['create', draft]], verbs);
  }

  #readsAndWrites(path: string, part: string, verbs: readonly Verb[]): ApiOperation[] {
    const { kind } = this.#definition;
    const what = part === '' ? `a ${kind}` : `the ${part} part of a ${kind}`;
    const name = (verb: string) => `${verb}*${this.#scope}${kind}${part.charAt(0).toUpperCase()}${part.slice(1)}`;
    const drafts: [Verb, Draft][] = [
      ['get', { method: 'get', action: 'get', name: name('read'), path, description: `Read ${what}.` }],
      ['update', { method: 'put', action: 'put', name: name('replace'), path, description: `Replace ${what}.`, parameters: QUERY_PARAMETERS.write, body: { schema: this.#version.schema, required: true }, codes: [200, 201] }],
      ['patch', { method: 'patch', action: 'patch', name: name('patch'), path, description: part === '' ? `Patch a ${kind}.` : `Change ${what}.`, parameters: QUERY_PARAMETERS.patch, consumes: PATCH_MEDIA, body: { schema: patchSchema, required: true }, codes: [200, 201] }],
    ];
    return this.#allowed(drafts, verbs);
  }

  watches(): ApiOperation[] {
    const { kind, namespaced, resource } = this.#definition;
    const root = `${this.#root}/watch`;
    const watch = { method: 'get', parameters: QUERY_PARAMETERS.list, responseSchema: watchEventSchema, produces: [...OBJECT_MEDIA, ...STREAM_MEDIA] } as const;
    const description = "Deprecated: use the 'watch' parameter of the list instead.";
    return this.#allowed([
      ...(namespaced
        ? [['watch', { ...watch, action: 'watchlist', name: `watch*${kind}ListForAllNamespaces`, path: `${root}/${resource}`, description: `Watch the objects of kind ${kind} in all namespaces. ${description}` }] as [Verb, Draft]]
        : []),
      ['watch', { ...watch, action: 'watchlist', name: `watch*${this.#scope}${kind}List`, path: `${root}/${this.#scoped}`, description: `Watch the objects of kind ${kind}. ${description}` }],
      ['watch', { ...watch, action: 'watch', name: `watch*${this.#scope}${kind}`, path: `${root}/${this.#scoped}/{name}`, description: `Watch one ${kind}. ${description}` }],
    ]);
  }

  #list() {
    return listType(this.#definition, this.#version);
  }

  #allowed(drafts: readonly [Verb, Draft][], verbs = this.#definition.verbs): ApiOperation[] {
    return drafts.filter(([verb]) => verbs.includes(verb)).map(([, draft]) => this.#complete(draft));
  }

  #complete({ name, ...draft }: Draft): ApiOperation {
    const { group, kind } = this.#definition;
    const { idPart, tag } = operationGroup(group, this.#version.name);
    const example = this.#version.example ?? { metadata: { name: 'example' } };
    const place = [NAME, NAMESPACE].filter((parameter) => draft.path.includes(`{${parameter.name}}`));
    return {
      responseSchema: this.#version.schema,
      codes: [200],
      consumes: ['*/*'],
      produces: OBJECT_MEDIA,
      ...draft,
      id: name.replace('*', idPart),
      tag,
      kind: draft.kind ?? { group, version: this.#version.name, kind },
      example: draft.example ?? { kind, apiVersion: groupVersion(group, this.#version.name), ...example },
      parameters: [...place, PRETTY, ...(draft.parameters ?? [])],
    };
  }
}
