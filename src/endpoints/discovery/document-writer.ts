import { Injectable } from '@nestjs/common';
import type { Encoded, Serializer } from '../../apimachinery/codec/serializer/serializer.js';
import { notAcceptable } from '../../apimachinery/errors/status-errors.js';
import {
  type SchemaType,
  type StructType,
  bool,
  field,
  list,
  requiredField,
  string,
  struct,
  typeMetaFields,
} from '../../apimachinery/schema/struct-type.js';
import { type OutputNegotiation, MediaTypes, wantsPretty } from '../negotiation/output-negotiation.js';
import type { Serializers } from '../negotiation/serializers.js';
import type { ApiRequest } from '../request/api-request.js';
import { sendRawStatus } from '../response/error-writer.js';
import { sendResponse } from '../response/send-response.js';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/**
 * Sends documents other than stored objects, in the media type that the client accepts. The encoding of a document is cached per media type
 * for as long as the document exists, so a document must not change.
 */
@Injectable()
export class DocumentWriter {
  readonly #encoded = new WeakMap<object, Map<string, Buffer>>();
  readonly #negotiation: OutputNegotiation;

  constructor({ plain }: MediaTypes) {
    this.#negotiation = plain;
  }

  get serializers(): Serializers {
    return this.#negotiation.serializers;
  }

  /** `document.kind` determines the schema. */
  write(request: ApiRequest, document: object): void {
    const choice = this.#negotiation.choose(request.accept);
    if (!choice) return sendRawStatus(request, notAcceptable(this.serializers.mediaTypes).status);
    const { serializer, pretty } = choice;
    request.audit?.responseObject(() => String(this.serializers.preferred.encodeObject(documentSchema(document), document)));
    const body = this.#bytes(document, serializer, pretty || wantsPretty(request.query, request.userAgent));
    sendResponse(request, 200, serializer.mediaType, body);
  }

  #bytes(document: object, serializer: Serializer, pretty: boolean): Buffer {
    const forms = this.#encoded.get(document) ?? new Map<string, Buffer>();
    this.#encoded.set(document, forms);
    const form = `${serializer.mediaType}${pretty ? ' pretty' : ''}`;
    const bytes = forms.get(form) ?? Buffer.from(encode(document, serializer, pretty));
    forms.set(form, bytes);
    return bytes;
  }
}

function encode(document: object, serializer: Serializer, pretty: boolean): Encoded {
  return serializer.mediaType === PROTOBUF
    ? serializer.encodeObject(protobufSchema(document), protobufDocument(document), { pretty })
    : serializer.encodeObject(documentSchema(document), document, { pretty });
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const groupVersionForDiscovery = struct(`${META}.GroupVersionForDiscovery`, 'A version of a group.', [
  requiredField('groupVersion', 1, string(), 'Group and version: group/version.'),
  requiredField('version', 2, string(), 'The version alone.'),
]);

const serverAddressByClientCidr = struct(`${META}.ServerAddressByClientCIDR`, 'Address of the server for clients in a network.', [
  requiredField('clientCIDR', 1, string(), 'The network.'),
  requiredField('serverAddress', 2, string(), 'Host and port.'),
]);

const groupFields = [
  requiredField('name', 1, string(), 'Name of the group.'),
  requiredField('versions', 2, list(groupVersionForDiscovery), 'Its versions.'),
  field('preferredVersion', 3, groupVersionForDiscovery, 'always', 'Preferred version.'),
  field('serverAddressByClientCIDRs', 4, list(serverAddressByClientCidr), 'omitEmpty', 'Addresses of the server by client network.'),
];

const apiGroup = struct(`${META}.APIGroup`, 'An API group.', [...typeMetaFields(), ...groupFields]);

const apiGroupList = struct(`${META}.APIGroupList`, 'The API groups of the server.', [
  ...typeMetaFields(),
  requiredField('groups', 1, list(apiGroup), 'The groups.'),
]);

const apiVersions = struct(`${META}.APIVersions`, 'The versions of the core group.', [
  ...typeMetaFields(),
  requiredField('versions', 1, list(string()), 'The versions.'),
  requiredField('serverAddressByClientCIDRs', 2, list(serverAddressByClientCidr), 'Addresses of the server by client network.'),
]);

/** `verbs` is a plain list in JSON, but a message in protobuf. */
function apiResource(verbs: SchemaType): StructType {
  return struct(`${META}.APIResource`, 'A resource and its supported verbs.', [
    requiredField('name', 1, string(), 'Plural name of the resource.'),
    requiredField('singularName', 6, string(), 'Singular name.'),
    requiredField('namespaced', 2, bool(), 'Whether its objects live in namespaces.'),
    field('group', 8, string(), 'omitEmpty', 'Group of the objects, if it differs from that of the list.'),
    field('version', 9, string(), 'omitEmpty', 'Version of the objects, if it differs from that of the list.'),
    requiredField('kind', 3, string(), 'Kind of its objects.'),
    requiredField('verbs', 4, verbs, 'Supported verbs.'),
    field('shortNames', 5, list(string()), 'omitEmpty', 'Short names for use on the command line.'),
    field('categories', 7, list(string()), 'omitEmpty', 'Categories, such as all, that the resource belongs to.'),
    field('storageVersionHash', 10, string(), 'omitEmpty', 'Hash of the version in which objects are stored.'),
  ]);
}

function apiResourceList(verbs: SchemaType): StructType {
  return struct(`${META}.APIResourceList`, 'The resources of a group version.', [
    ...typeMetaFields(),
    requiredField('groupVersion', 1, string(), 'Group and version.'),
    requiredField('resources', 2, list(apiResource(verbs)), 'The resources.'),
  ]);
}

const verbsMessage = struct(`${META}.Verbs`, 'Verbs of a resource.', [requiredField('items', 1, list(string()), 'The verbs.')]);

const SCHEMAS: Readonly<Record<string, StructType>> = {
  APIGroup: apiGroup,
  APIGroupList: apiGroupList,
  APIVersions: apiVersions,
  APIResourceList: apiResourceList(list(string(), { undeclared: true })),
};
const PROTOBUF_SCHEMAS: Readonly<Record<string, StructType>> = { ...SCHEMAS, APIResourceList: apiResourceList(verbsMessage) };

/** The schema of a discovery document, by its kind. */
export function documentSchema(document: object): StructType {
  return known(SCHEMAS, document);
}

function protobufSchema(document: object): StructType {
  return known(PROTOBUF_SCHEMAS, document);
}

/** Converts a document to the shape of its protobuf schema. */
function protobufDocument(document: object): object {
  const { resources, ...rest } = document as { resources?: readonly { readonly verbs: readonly string[] }[] };
  if (!resources) return document;
  return { ...rest, resources: resources.map((resource) => ({ ...resource, verbs: { items: resource.verbs } })) };
}

function known(schemas: Readonly<Record<string, StructType>>, document: object): StructType {
  const { kind = '(none)' } = document as { kind?: string };
  const schema = schemas[kind];
  if (!schema) throw new Error(`no schema for a document of kind ${kind}`);
  return schema;
}
