import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { StructType } from '../../apimachinery/schema/struct-type.js';
import { ResourceRegistry } from '../../registry/resource-registry.js';
import { type VersionInfo, VERSION_INFO } from '../discovery/discovery-documents.js';
import { OpenIdDocuments } from '../openid/openid.controller.js';
import { type ApiKind, type ApiOperation, listType } from './api-operation.js';
import type { Json } from './component-schemas.js';
import {
  OPENID_OPERATIONS,
  coreVersionsOperation,
  groupListOperation,
  groupOperation,
  groupVersionOperation,
  versionOperation,
} from './fixed-operations.js';
import { openapiV2 } from './openapi-v2.js';
import { openapiV3 } from './openapi-v3.js';
import { swaggerDocument } from './swagger-document.js';
import { resourceOperations } from './resource-operations.js';

/** A document as sent: its JSON, created on first use, and the hash for URLs and ETags. */
export class OpenApiDocument {
  readonly #make: () => Json;
  #value: Json | undefined;
  #json: string | undefined;
  #hash: string | undefined;

  constructor(make: () => Json) {
    this.#make = make;
  }

  get value(): Json {
    return (this.#value ??= this.#make());
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(this.value));
  }

  /** SHA-512 of the JSON, upper-case hex, as upstream prints it. */
  get hash(): string {
    return (this.#hash ??= createHash('sha512').update(this.json).digest('hex').toUpperCase());
  }
}

/** Kinds that every group registers for its own use (metav1.AddToGroupVersion). */
const SHARED_KINDS = ['DeleteOptions', 'WatchEvent'];

/** The OpenAPI documents of all installed resources: one OpenAPI 2 document, and an OpenAPI 3 document for each group version. */
@Injectable()
export class OpenApiDocuments {
  readonly v2: OpenApiDocument;
  /** By path below /openapi/v3: `apis/coordination.k8s.io/v1`. */
  readonly v3: ReadonlyMap<string, OpenApiDocument>;
  /** The whole API for human readers, as shown by Swagger UI. */
  readonly readers: OpenApiDocument;
  readonly #forReaders: ApiOperation[] = [];

  constructor(registry: ResourceRegistry, @Inject(VERSION_INFO) { gitVersion: version }: VersionInfo, openId: OpenIdDocuments) {
    const parts = partsOf(registry, openId.areServed ? OPENID_OPERATIONS : []);
    const everything = [...parts.values()].flat();
    const groupVersions = registry.groups.flatMap((group) => group.versions.map((name) => ({ group: group.name, version: name })));
    this.v2 = new OpenApiDocument(() => openapiV2(everything, version, kindsIn(registry, groupVersions)));
    this.readers = new OpenApiDocument(() =>
      swaggerDocument([...everything, ...this.#forReaders], version, kindsIn(registry, groupVersions)),
    );
    this.v3 = new Map(
      [...parts].map(([path, operations]) => {
        const own = groupVersions.filter((each) => path.endsWith(`/${groupVersion(each.group, each.version)}`));
        return [path, new OpenApiDocument(() => openapiV3(operations, version, kindsIn(registry, own)))];
      }),
    );
  }

  /** Adds operations that are no part of Kubernetes' API to the document for human readers. Called while the server starts. */
  addForReaders(operations: readonly ApiOperation[]): void {
    this.#forReaders.push(...operations);
  }

  /** The body of /openapi/v3. */
  index(): string {
    const paths = [...this.v3].map(([path, document]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${document.hash}` }]);
    return JSON.stringify({ paths: Object.fromEntries(paths) as Json });
  }
}

/** The operations of each OpenAPI 3 document, by its path, in order of text. `further`: those of documents that are part of no group. */
function partsOf(registry: ResourceRegistry, further: readonly ApiOperation[]): Map<string, ApiOperation[]> {
  const parts: [string, ApiOperation[]][] = [
    ['api', [coreVersionsOperation]],
    ['apis', [groupListOperation]],
    ['version', [versionOperation]],
    ...further.map((operation): [string, ApiOperation[]] => [operation.path.slice(1, -1), [operation]]),
  ];
  for (const { name, versions } of registry.groups) {
    if (name !== '') parts.push([`apis/${name}`, [groupOperation(name)]]);
    for (const version of versions) {
      const resources = registry
        .inGroupVersion(name, version)
        .flatMap((served) => resourceOperations(served.definition, served.version, registry.subresourcesOf(served.definition)));
      const prefix = name === '' ? 'api' : 'apis';
      parts.push([`${prefix}/${groupVersion(name, version)}`, [groupVersionOperation(name, version), ...resources]]);
    }
  }
  return new Map(parts.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns a function that looks up the kinds of a type: its own if it is served, and those that each of these group versions registers for
 * its own use.
 */
function kindsIn(registry: ResourceRegistry, groupVersions: readonly { group: string; version: string }[]) {
  const served = new Map<string, ApiKind>();
  for (const { definition, version } of registry.resources) {
    const { group, kind } = definition;
    served.set(version.schema.openapiName, { group, version: version.name, kind });
    served.set(listType(definition, version).openapiName, { group, version: version.name, kind: `${kind}List` });
  }
  for (const { definition, of } of registry.subresources) {
    const { group, kind, storageVersion } = definition;
    if (of) served.set(storageVersion.schema.openapiName, { group, version: storageVersion.name, kind });
  }
  return (type: StructType): ApiKind[] => {
    const own = served.get(type.openapiName);
    if (own !== undefined) return [own];
    const meta = { group: '', version: 'v1', kind: type.goName };
    if (SHARED_KINDS.includes(type.goName)) {
      return [meta, ...groupVersions.filter(({ group }) => group !== '').map((each) => ({ ...each, kind: type.goName }))];
    }
    return type.openapiName.includes('.meta.v1.') && type.fields[0]?.name === 'kind' && type.fields[1]?.name === 'apiVersion' ? [meta] : [];
  };
}
