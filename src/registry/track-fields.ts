import type { KubeObject } from '../apimachinery/meta/kube-object.js';
import { managerName } from '../apimachinery/meta/options/manager-name.js';
import type { WriteOptions } from '../apimachinery/meta/options/request-options.js';
import { groupVersion } from '../apimachinery/schema/group-resource.js';
import type { RequestContext } from './request-context.js';
import type { ResourceVersionDefinition } from './resource-definition.js';
import type { ResourceScope } from './resource-scope.js';
import { timestamp } from './timestamp.js';

/** Who writes with what, for managedFields. */
export interface FieldWriter {
  readonly context: RequestContext;
  readonly version: ResourceVersionDefinition;
  readonly options: WriteOptions;
  /** The subresource through which is written, where the field manager's resource does not tell. */
  readonly subresource?: string;
}

/** `next` with its managedFields after a create or update. Both objects are in the version's shape. The result's metadata is its own. */
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
