import type { Kind, OpenApiDocument, Schema } from './openapi-document.js';

/** Upstream lists the options of every group it serves; other groups and versions that are not served here are left out. */
const OWN_GROUPS = ['', 'coordination.k8s.io', 'rbac.authorization.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io'];
const OTHER_VERSION = /^(rbac|auth).*(alpha|beta)/;

/** The schemas whose names match, without descriptions, with lists of names sorted. */
export function comparableSchemas(document: OpenApiDocument, pattern: RegExp): Record<string, object> {
  const schemas = Object.entries(document.components?.schemas ?? document.definitions ?? {}).filter(([name]) => pattern.test(name));
  return Object.fromEntries(schemas.map(([name, schema]) => [name, comparable(schema)]));
}

function comparable(schema: Schema): Schema {
  const out = withoutDescriptions(schema) as Schema;
  const kinds = out['x-kubernetes-group-version-kind'] as Kind[] | undefined;
  if (kinds !== undefined) out['x-kubernetes-group-version-kind'] = ownKinds(kinds);
  if (Array.isArray(out['required'])) out['required'] = [...(out['required'] as string[])].sort();
  return out;
}

const ownKinds = (kinds: readonly Kind[]) =>
  kinds
    .filter(({ group }) => OWN_GROUPS.includes(group))
    .map(({ group, version, kind }) => `${group}/${version}/${kind}`)
    .filter((name) => !OTHER_VERSION.test(name))
    .sort();

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== 'description' || typeof item !== 'string');
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutDescriptions(item)]));
}
