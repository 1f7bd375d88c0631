import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import { managerName } from '../../apimachinery/managedfields/managers/managed-fields-entry.js';
import type { WriteOptions } from '../../apimachinery/options/write-options.js';
import { groupVersion } from '../../apimachinery/schema/group-resource.js';
import type { RequestContext } from '../resource/request-context.js';
import type { ResourceVersionDefinition } from '../resource/resource-definition.js';
import type { ResourceScope } from './resource-scope.js';
import { timestamp } from '../objects/timestamp.js';

/** The writer of an update, for managedFields. */
export interface FieldWriter {
  readonly context: RequestContext;
  readonly version: ResourceVersionDefinition;
  readonly options: WriteOptions;
  /** The subresource, if the FieldManager's definition does not name it. */
  readonly subresource?: string;
}

/**
 * Returns `next` with its managedFields after a create or update. Both objects are in the version's shape. The result's metadata is a new
 * object.
 */
export function trackFields(
  scope: Pick<ResourceScope, 'definition' | 'fieldManager' | 'now'>,
  writer: FieldWriter,
  live: KubeObject | undefined,
  next: KubeObject,
): KubeObject {
  return scope.fieldManager.update(live, next, {
    manager: managerName(writer.options.fieldManager, writer.context.userAgent),
    apiVersion: groupVersion(scope.definition.group, writer.version.name),
    now: timestamp(scope.now()),
    ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
  });
}
