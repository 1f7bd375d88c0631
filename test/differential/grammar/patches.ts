import type { Random } from '../../fuzz/random.js';
import type { Plain, QuestionBody } from '../question.js';
import { putSystemFields, someObject } from './objects.js';
import type { AskedResource } from './resources.js';

const JSON_PATCH = 'application/json-patch+json';
const POINTERS = [
  '/metadata/labels',
  '/metadata/labels/app',
  '/metadata/annotations/note',
  '/metadata/finalizers',
  '/metadata/finalizers/0',
  '/metadata/finalizers/-',
  '/metadata/name',
  '/metadata/resourceVersion',
  '/metadata/generation',
  '/metadata/managedFields',
  '/metadata/ownerReferences/0',
  '/metadata/deletionTimestamp',
  '/spec',
  '/kind',
  '/apiVersion',
  '',
  '/',
  'x',
];
const VALUES: readonly unknown[] = ['x', 'example.com/hold', 1, 15, null, {}, [], { app: 'x' }, ['example.com/hold'], 1e30, -0.5, true];

const TYPES = [
  'application/json',
  'application/merge-patch+json;charset=utf-8',
  'application/MERGE-patch+json',
  'application/yaml',
  '',
].concat([
  'application/apply-patch+json',
  'application/strategic-merge-patch+json, application/json',
  'application/merge-patch+json; x',
  'application/json-patch',
]);

/** A patch of any of the four types, sometimes under another type. */
export function somePatch(random: Random, resource: AskedResource, name: string): QuestionBody {
  const body = patchOf(random, resource, name);
  return random.chance(0.03) ? { ...body, contentType: random.pick([undefined, ...TYPES]) } : body;
}

function patchOf(random: Random, resource: AskedResource, name: string): QuestionBody {
  const kind = random.below(100);
  if (kind < 20) return jsonPatch(random, resource);
  const partial = partialObject(random, resource, name, kind >= 60);
  if (kind < 40) return { encoding: 'json', contentType: 'application/merge-patch+json', value: partial };
  if (kind < 60) return { encoding: 'json', contentType: 'application/strategic-merge-patch+json', value: strategic(random, partial) };
  const forms = [
    { encoding: 'yaml', contentType: 'application/apply-patch+yaml' },
    { encoding: 'json', contentType: 'application/apply-patch+yaml' },
    { encoding: 'cbor', contentType: 'application/apply-patch+cbor' },
  ] as const;
  if (random.chance(0.1)) putSystemFields(random, partial);
  return { ...random.pick(forms), value: partial };
}

function jsonPatch(random: Random, { options }: AskedResource): QuestionBody {
  const pointers = [...POINTERS, ...options.map(([path]) => `/${path.replaceAll('.', '/')}`)];
  const operation = (): Plain => ({
    op: random.pick(['add', 'replace', 'remove', 'test', 'copy', 'move', 'add', 'replace', 'odd']),
    path: random.pick(pointers),
    ...(random.chance(0.8) ? { value: random.pick(VALUES) } : {}),
    ...(random.chance(0.3) ? { from: random.pick(pointers) } : {}),
  });
  const value = Array.from({ length: random.below(4) }, operation);
  if (random.chance(0.03)) {
    const text = `[{"op":"add","path":"/metadata/generation","value":${random.pick(['1e400', '-1e400', '1e20', '007', '1.0', '9223372036854775807'])}}]`;
    return { encoding: 'raw', contentType: JSON_PATCH, value: text };
  }
  return { encoding: 'json', contentType: JSON_PATCH, value: random.chance(0.03) ? {} : value };
}

/** A mostly incomplete object; for an apply it has its name. */
function partialObject(random: Random, resource: AskedResource, name: string, whole: boolean): Plain {
  const object = someObject(random, resource, { name, typed: random.chance(0.95) });
  if (whole) return object;
  const kept = Object.entries(object).filter(([key]) => random.chance(key === 'kind' || key === 'apiVersion' ? 0.2 : 0.7));
  const { metadata, ...partial } = Object.fromEntries(kept);
  if (metadata === undefined) return partial;
  const { name: own, ...rest } = (metadata ?? {}) as Plain;
  return { ...partial, metadata: random.chance(0.2) ? { name: own, ...rest } : rest };
}

const DIRECTIVES: readonly (readonly [string, unknown])[] = [
  ['$patch', 'replace'],
  ['$patch', 'delete'],
  ['$retainKeys', ['labels']],
  ['$deleteFromPrimitiveList/finalizers', ['example.com/hold']],
  ['$setElementOrder/finalizers', ['example.com/hold']],
];

function strategic(random: Random, partial: Plain): Plain {
  if (!random.chance(0.15)) return partial;
  const [key, value] = random.pick(DIRECTIVES);
  if (random.chance(0.3)) return { ...partial, [key]: value };
  return { ...partial, metadata: { ...(partial['metadata'] as Plain | undefined), [key]: value } };
}
