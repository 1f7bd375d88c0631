import type { KubeObject } from '../../apimachinery/meta/object-meta.schema.js';
import type { PatchOptions } from '../../apimachinery/options/write-options.js';
import { type PatchType, applyPatch } from '../../apimachinery/patch/apply-patch.js';
import type { UpdateSource } from '../../registry/resource/resource-store.js';
import { notFound } from '../../apimachinery/errors/status-errors.js';
import type { ApiRequest } from '../request/api-request.js';
import type { RequestScope } from '../scope/request-scope.js';

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
]);

/** The patch type for a Content-Type; undefined for apply. */
export function patchTypeOf(mediaType: string): PatchType | undefined {
  return PATCH_TYPES.get(mediaType);
}

/**
 * Computes the next state of an existing object by a JSON, merge or strategic merge patch (apiserver handlers/patch.go jsonPatcher,
 * smpPatcher).
 */
export function patchSource(scope: RequestScope, request: ApiRequest, type: PatchType, text: string, options: PatchOptions): UpdateSource {
  const patch = { type, text, expected: scope.expected, validation: options.fieldValidation };
  const next = (live: KubeObject | undefined): KubeObject => {
    if (!live) throw notFound(scope.definition, request.info.name);
    const { kind } = scope.definition;
    const { object, warnings } = applyPatch(patch, { ...live, kind, apiVersion: scope.apiVersion });
    for (const warning of warnings) request.warn(warning);
    return object;
  };
  return { next, mayCreate: false, tracksFields: 'update', retries: true };
}
