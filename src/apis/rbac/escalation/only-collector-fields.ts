import { compileEncoder } from '../../../apimachinery/codec/json/json-encoder.js';
import type { KubeObject } from '../../../apimachinery/meta/kube-object.js';
import type { StructType } from '../../../apimachinery/schema/struct-type.js';

/**
 * Whether an update changes only what the garbage collector changes, owners and finalizers, which needs no rights beyond the verb
 * (kubernetes pkg/registry/rbac/helpers.go).
 */
export function changesOnlyCollectorFields(schema: StructType, next: KubeObject, live: KubeObject | undefined): boolean {
  if (live === undefined) return false;
  const encode = compileEncoder(schema);
  return encode(withoutCollectorFields(next)) === encode(withoutCollectorFields(live));
}

function withoutCollectorFields({ kind: _kind, apiVersion: _version, ...object }: KubeObject): KubeObject {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, selfLink: _link, ...metadata } = object.metadata;
  return { ...object, metadata };
}
