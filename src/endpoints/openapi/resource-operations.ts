import { deleteOptionsSchema } from '../../apimachinery/meta/delete-options.schema.js';
import { statusSchema, watchEventSchema } from '../../apimachinery/meta/status.schema.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import { struct } from '../../apimachinery/schema/struct-type.js';
import type { ResourceDefinition, ResourceVersionDefinition, Verb } from '../../registry/resource/resource-definition.js';
import type { Subresource } from '../../registry/resource-registry.js';
import { type ApiOperation, NAME, NAMESPACE, PRETTY, QUERY_PARAMETERS, capital, listType, operationGroup } from './api-operation.js';

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

const DELETION = { method: 'delete', body: { schema: deleteOptionsSchema, required: false } } as const;
const STREAM = { method: 'get', parameters: QUERY_PARAMETERS.list, produces: [...OBJECT_MEDIA, ...STREAM_MEDIA] } as const;

/** What the operations of a verb have in common. */
const COMMON = {
  get: { method: 'get', action: 'get' },
  list: { ...STREAM, action: 'list' },
  create: { method: 'post', action: 'post', parameters: QUERY_PARAMETERS.write, codes: [200, 201, 202] },
  update: { method: 'put', action: 'put', parameters: QUERY_PARAMETERS.write, codes: [200, 201] },
  patch: {
    method: 'patch',
    action: 'patch',
    parameters: QUERY_PARAMETERS.patch,
    consumes: PATCH_MEDIA,
    body: { schema: patchSchema, required: true },
    codes: [200, 201],
  },
  delete: { ...DELETION, action: 'delete', parameters: QUERY_PARAMETERS.delete, codes: [200, 202] },
  deletecollection: {
    ...DELETION,
    action: 'deletecollection',
    parameters: QUERY_PARAMETERS.deleteCollection,
    responseSchema: statusSchema,
  },
  watch: { ...STREAM, action: 'watchlist', responseSchema: watchEventSchema },
} as const satisfies Record<Verb, Partial<ApiOperation>>;

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

interface Draft extends Pick<ApiOperation, 'path' | 'description' | 'action' | 'responseSchema'> {
  readonly verb: Verb;
  /** The id, with * in place of the group and version. */
  readonly name: string;
  /** The definition of the objects, if it is not that of the resource. */
  readonly of?: ResourceDefinition;
}

class ResourceOperations {
  readonly #definition: ResourceDefinition;
  readonly #version: ResourceVersionDefinition;
  readonly #root: string;
  readonly #scoped: string;
  /** The part of operation ids that tells scope and kind: `NamespacedLease`. */
  readonly #scopedKind: string;

  constructor(definition: ResourceDefinition, version: ResourceVersionDefinition) {
    const prefix = definition.group === '' ? '/api' : '/apis';
    this.#definition = definition;
    this.#version = version;
    this.#root = `${prefix}/${groupVersion(definition.group, version.name)}`;
    this.#scoped = definition.namespaced ? `namespaces/{namespace}/${definition.resource}` : definition.resource;
    this.#scopedKind = `${definition.namespaced ? 'Namespaced' : ''}${definition.kind}`;
  }

  collection(): ApiOperation[] {
    const { kind } = this.#definition;
    const [path, what] = [`${this.#root}/${this.#scoped}`, `objects of kind ${kind}`];
    return this.#allowed([
      { verb: 'list', name: `list*${this.#scopedKind}`, path, description: `List or watch ${what}.` },
      ...this.#everywhere({ verb: 'list', name: `list*${kind}ForAllNamespaces`, path: this.#root, description: `List or watch ${what}` }),
      { verb: 'create', name: `create*${this.#scopedKind}`, path, description: `Create a ${kind}.` },
      { verb: 'deletecollection', name: `delete*Collection${this.#scopedKind}`, path, description: `Delete the selected ${what}.` },
    ]);
  }

  item(): ApiOperation[] {
    const { kind, returnsDeleted, strategy } = this.#definition;
    const path = `${this.#root}/${this.#scoped}/{name}`;
    // Upstream's document says Status for namespaces, although the deletion that removes one returns it.
    const responseSchema = returnsDeleted && !strategy.markedForDeletion ? this.#version.schema : statusSchema;
    return this.#allowed([
      ...this.#readsAndWrites(path, ''),
      { verb: 'delete', name: `delete*${this.#scopedKind}`, path, description: `Delete a ${kind}.`, responseSchema },
    ]);
  }

  subresource({ name: part, verbs, definition: of }: Subresource): ApiOperation[] {
    const path = `${this.#root}/${this.#scoped}/{name}/${part}`;
    const description = `Create the ${part} of a ${this.#definition.kind}.`;
    const create: Draft = { verb: 'create', name: `create*${this.#scopedKind}${capital(part)}`, path, description, of };
    return this.#allowed([...this.#readsAndWrites(path, part), create], verbs);
  }

  #readsAndWrites(path: string, part: string): Draft[] {
    const { kind } = this.#definition;
    const what = part === '' ? `a ${kind}` : `the ${part} part of a ${kind}`;
    const name = (word: string) => `${word}*${this.#scopedKind}${capital(part)}`;
    return [
      { verb: 'get', name: name('read'), path, description: `Read ${what}.` },
      { verb: 'update', name: name('replace'), path, description: `Replace ${what}.` },
      { verb: 'patch', name: name('patch'), path, description: part === '' ? `Patch a ${kind}.` : `Change ${what}.` },
    ];
  }

  watches(): ApiOperation[] {
    const { kind } = this.#definition;
    const root = `${this.#root}/watch`;
    const path = `${root}/${this.#scoped}`;
    const instead = "Deprecated: use the 'watch' parameter of the list instead.";
    const all = `Watch the objects of kind ${kind}`;
    return this.#allowed([
      ...this.#everywhere({ verb: 'watch', name: `watch*${kind}ListForAllNamespaces`, path: root, description: all }, instead),
      { verb: 'watch', name: `watch*${this.#scopedKind}List`, path, description: `${all}. ${instead}` },
      {
        verb: 'watch',
        action: 'watch',
        name: `watch*${this.#scopedKind}`,
        path: `${path}/{name}`,
        description: `Watch one ${kind}. ${instead}`,
      },
    ]);
  }

  /** The operation over all namespaces, for resources that have any. */
  #everywhere(draft: Draft, note?: string): Draft[] {
    const { namespaced, resource } = this.#definition;
    const description = [`${draft.description} in all namespaces.`, ...(note === undefined ? [] : [note])].join(' ');
    return namespaced ? [{ ...draft, path: `${draft.path}/${resource}`, description }] : [];
  }

  #allowed(drafts: readonly Draft[], verbs = this.#definition.verbs): ApiOperation[] {
    return drafts.filter(({ verb }) => verbs.includes(verb)).map((draft) => this.#complete(draft));
  }

  #complete({ verb, name, of, ...draft }: Draft): ApiOperation {
    const { idPart, tag } = operationGroup(this.#definition.group, this.#version.name);
    const { group, kind } = of ?? this.#definition;
    const version = of?.storageVersion ?? this.#version;
    const example = version.example ?? { metadata: { name: 'example' } };
    const place = [NAME, NAMESPACE].filter((parameter) => draft.path.includes(`{${parameter.name}}`));
    const common: Partial<ApiOperation> = COMMON[verb];
    return {
      responseSchema: verb === 'list' ? listType(this.#definition, version) : version.schema,
      codes: [200],
      consumes: ['*/*'],
      produces: OBJECT_MEDIA,
      ...(verb === 'create' || verb === 'update' ? { body: { schema: version.schema, required: true } } : {}),
      ...COMMON[verb],
      ...draft,
      id: name.replace('*', idPart),
      tag,
      kind: { group, version: version.name, kind },
      example: { kind, apiVersion: groupVersion(group, version.name), ...example },
      parameters: [...place, PRETTY, ...(common.parameters ?? [])],
    };
  }
}
