import { Random } from '../../fuzz/random.js';
import type { Plain, Question, QuestionBody, Sequence } from '../question.js';
import { deleteOptions, objectBody } from './bodies.js';
import { someFamily } from './families/families.js';
import { someHeaders, someIdentity } from './headers.js';
import { put, putSystemFields, someName, someObject } from './objects.js';
import { oddPath } from './odd-paths.js';
import { type Parameters, deleteParameters, getParameters, listParameters, writeParameters } from './parameters.js';
import { somePatch } from './patches.js';
import { type AskedResource, RESOURCES } from './resources.js';
import { someReview } from './reviews.js';

/** Number of questions in a sequence. */
export const SEQUENCE_LENGTH = 16;

const WEIGHT = RESOURCES.reduce((sum, { weight }) => sum + weight, 0);

/** The sequence with a number under a seed: mostly about one resource, so that its questions concern the same few objects. */
export function someSequence(seed: number, at: number, length: number = SEQUENCE_LENGTH): Sequence {
  const random = new Random(seed, at);
  if (random.chance(0.3)) return { at, questions: someFamily(random, length) };
  const main = someResource(random);
  const questions = Array.from({ length }, (_, place) => {
    const resource = random.chance(0.8) ? main : random.chance(0.5) ? relative(random, main) : someResource(random);
    return place === 0 ? create(random, resource, 'admin') : someQuestion(random, resource);
  });
  return { at, questions };
}

function someResource(random: Random): AskedResource {
  let left = random.below(WEIGHT);
  return RESOURCES.find(({ weight }) => (left -= weight) < 0) as AskedResource;
}

/** The same kind in another group or version: the same objects. */
function relative(random: Random, { kind }: AskedResource): AskedResource {
  return random.pick(RESOURCES.filter((resource) => resource.kind === kind));
}

function someQuestion(random: Random, resource: AskedResource): Question {
  const roll = random.below(100);
  if (roll < 4) return oddPath(random);
  if (roll < 7) return someReview(random);
  const made = someWork(random, resource, roll);
  return random.chance(0.02) ? misplaced(random, made) : made;
}

function someWork(random: Random, resource: AskedResource, roll: number): Question {
  const identity = someIdentity(random);
  if (roll < 25) return create(random, resource, identity);
  if (roll < 36) return withPlace(random, resource, identity, { method: 'GET', query: getParameters(random) });
  if (roll < 51) return list(random, resource, identity, 'GET');
  if (roll < 66) return update(random, resource, identity);
  if (roll < 88) return patch(random, resource, identity);
  return roll < 97 ? remove(random, resource, identity) : list(random, resource, identity, 'DELETE');
}

/** A question with another method, or in another namespace. */
function misplaced(random: Random, made: Question): Question {
  const elsewhere = made.path.replace('/{{ns}}/', random.pick(['/{{ns}}-a/', '/no-such-namespace/', '/UPPER/']));
  if (random.chance(0.5)) return { ...made, path: elsewhere };
  if (made.method !== 'DELETE' && made.method !== 'GET') {
    return { ...made, method: random.pick(['POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS']) };
  }
  return { ...made, method: random.pick(['HEAD', 'OPTIONS', 'GET']) };
}

interface Draft {
  readonly method: string;
  readonly query: Parameters;
  readonly body?: QuestionBody;
  readonly name?: string;
}

function create(random: Random, resource: AskedResource, identity: Question['identity']): Question {
  const name = random.chance(0.97) ? someName(random, resource) : undefined;
  const object = someObject(random, resource, { name });
  if (name === undefined && random.chance(0.7)) {
    put(object, 'metadata.generateName', random.pick(['gen-', 'Gen_', `${'x'.repeat(53)}-gen-zz`, '']));
  }
  const body = objectBody(random, resource, object);
  return question(random, resource, identity, { method: 'POST', query: writeParameters(random), body });
}

function update(random: Random, resource: AskedResource, identity: Question['identity']): Question {
  const name = someName(random, resource);
  const object = someObject(random, resource, { name: random.chance(0.98) ? name : 'other' });
  const version = random.below(100);
  if (version < 70) put(object, 'metadata.resourceVersion', `{{rv:${resource.collection}/${name}}}`);
  else if (version < 78) put(object, 'metadata.resourceVersion', `{{first-rv:${resource.collection}/${name}}}`);
  // Creates the object if there is none.
  else if (random.chance(0.4)) putSystemFields(random, object);
  if (random.chance(0.1)) put(object, 'metadata.uid', `{{uid:${resource.collection}/${name}}}`);
  return withPlace(random, resource, identity, {
    method: 'PUT',
    query: writeParameters(random),
    body: objectBody(random, resource, object),
    name,
  });
}

function patch(random: Random, resource: AskedResource, identity: Question['identity']): Question {
  const name = someName(random, resource);
  const body = somePatch(random, resource, name);
  const query = writeParameters(random).filter(([parameter]) => parameter !== 'fieldManager');
  if (body.contentType?.includes('apply') ? random.chance(0.95) : random.chance(0.1)) {
    query.push(['fieldManager', random.pick(['one', 'two', 'kubectl'])]);
  }
  return withPlace(random, resource, identity, { method: 'PATCH', query, body, name });
}

function remove(random: Random, resource: AskedResource, identity: Question['identity']): Question {
  const draft = { method: 'DELETE', query: deleteParameters(random), ...(random.chance(0.4) ? { body: deleteOptions(random) } : {}) };
  return withPlace(random, resource, identity, draft, random.chance(0.1));
}

function list(random: Random, resource: AskedResource, identity: Question['identity'], method: 'GET' | 'DELETE'): Question {
  const query = listParameters(random, resource);
  if (method === 'DELETE') {
    const body = random.chance(0.2) ? { body: deleteOptions(random) } : {};
    return question(random, resource, identity, { method, query: ownOnly([...query, ...deleteParameters(random)], resource), ...body });
  }
  if (random.chance(0.12)) query.push(['watch', random.pick(['true', '1', '0', 'false', 'x'])]);
  const everywhere = resource.everywhere !== undefined && random.chance(0.08);
  const path = everywhere ? (resource.everywhere ?? '') : resource.collection;
  const made = question(random, resource, identity, { method, query: tellingOfOwn(query, everywhere, resource) });
  if (!random.chance(0.04)) return { ...made, path };
  const watched = path.replace(/^(\/apis\/[^/]+|\/api)(\/[^/]+)/, '$1$2/watch') + (random.chance(0.5) ? '' : `/${resource.prefix}a`);
  return { ...made, path: watched, query: pinned(made.query, resource) };
}

/** Restricts a collection deletion: deleting all namespaces, or objects that the servers need, would end the run. */
function ownOnly(query: Parameters, { prefix }: AskedResource): Parameters {
  return prefix === '' ? query : [...query, ['labelSelector', 'app=x'], ['fieldSelector', `metadata.name=${prefix}a`]];
}

/** Restricts requests that would show foreign objects: their pages differ, and a watch of all objects takes longer than it is read. */
function tellingOfOwn(query: Parameters, everywhere: boolean, resource: AskedResource): Parameters {
  if (!everywhere && resource.prefix === '') return query;
  const unpaged = query.filter(([name, value]) => name !== 'limit' && value !== '{{continue}}');
  return query.some(([name]) => name === 'watch') ? [...pinned(unpaged, resource)] : unpaged;
}

function pinned(query: Question['query'], { prefix }: AskedResource): [string, string][] {
  const rest = query.filter(([name]) => prefix === '' || name !== 'fieldSelector').map(([name, value]): [string, string] => [name, value]);
  return prefix === '' ? rest : [...rest, ['fieldSelector', `metadata.name=${prefix}a`]];
}

function withPlace(random: Random, resource: AskedResource, identity: Question['identity'], draft: Draft, subresources = true): Question {
  const name = draft.name ?? someName(random, resource);
  const made = question(random, resource, identity, draft);
  const subresource =
    subresources && random.chance(0.35) && resource.subresources.length > 0 ? `/${random.pick(resource.subresources)}` : '';
  return {
    ...made,
    path: `${resource.collection}/${encodeURIComponent(name).replaceAll('%7B', '{').replaceAll('%7D', '}')}${subresource}`,
  };
}

/** `PATH` in placeholders stands for the collection. */
function question(random: Random, resource: AskedResource, identity: Question['identity'], { method, query, body }: Draft): Question {
  const bind = (text: string) => text.replaceAll('PATH/', `${resource.collection}/${resource.prefix}`);
  const bound = body && { ...body, value: JSON.parse(bind(JSON.stringify(body.value))) as Plain };
  return {
    method,
    path: resource.collection,
    query: query.map(([name, value]) => [name, bind(value)]),
    headers: someHeaders(random, resource, identity),
    identity,
    ...(bound ? { body: bound } : {}),
  };
}
