import type { Random } from '../../fuzz/random.js';
import type { AskedResource } from './resources.js';

export type Parameters = [string, string][];

const WRITE: readonly (readonly [string, readonly string[]])[] = [
  ['dryRun', ['All', 'All', 'None', '']],
  ['fieldManager', ['tester', 'other', '', 'x'.repeat(129), 'a\nb']],
  ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'Odd', '']],
  ['pretty', ['true', 'false', '1', '']],
  ['force', ['true', 'false', 'maybe', '']],
];

const LIST: readonly (readonly [string, readonly string[]])[] = [
  ['labelSelector', ['app=x', 'app', '!app', 'app in (x,y)', 'n>4', 'a b', 'app=x,', '']],
  ['limit', ['1', '2', '500', '-1', '0', 'x', '']],
  ['continue', ['{{continue}}', '{{continue}}', 'bad', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0', '']],
  ['resourceVersion', ['0', '0', '', '{{rv:PATH/a}}', '{{first-rv:PATH/a}}', 'abc', '-1']],
  ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'Odd', '']],
  ['timeoutSeconds', ['5', '-1', 'x', '']],
  ['sendInitialEvents', ['true', 'false', 'x']],
  ['allowWatchBookmarks', ['true', 'false']],
  ['pretty', ['true', 'false']],
  ['export', ['true']],
];

/** What a reflector asks for that reads its objects from a watch. */
const WATCH_LIST: Parameters = [
  ['watch', 'true'],
  ['sendInitialEvents', 'true'],
  ['resourceVersionMatch', 'NotOlderThan'],
  ['allowWatchBookmarks', 'true'],
];

const DELETE: readonly (readonly [string, readonly string[]])[] = [
  ['ignoreStoreReadErrorWithClusterBreakingPotential', ['true', 'true', 'false', 'x', '']],
  ['propagationPolicy', ['Background', 'Foreground', 'Orphan', 'Odd', '']],
  ['orphanDependents', ['true', 'false', 'x']],
  ['gracePeriodSeconds', ['0', '30', '-1', 'x']],
  ['dryRun', ['All', 'Odd']],
  ['resourceVersion', ['{{rv:PATH/a}}', '{{first-rv:PATH/a}}']],
  ['uid', ['{{uid:PATH/a}}', 'x']],
];

/** Parameters of create, update and patch. */
export function writeParameters(random: Random): Parameters {
  return some(random, WRITE, 0.25);
}

export function getParameters(random: Random): Parameters {
  return some(random, LIST, 0.15, ['resourceVersion', 'pretty', 'export']);
}

export function deleteParameters(random: Random): Parameters {
  return some(random, DELETE, 0.4);
}

/** Parameters of list, watch and deletecollection. */
export function listParameters(random: Random, { fields, prefix }: AskedResource): Parameters {
  if (random.chance(0.06)) return [...WATCH_LIST];
  const parameters = some(random, LIST, 0.55);
  if (random.chance(0.2)) {
    const selectors = [
      `metadata.name=${prefix}a`,
      `metadata.name!=${prefix}a`,
      `metadata.name=${prefix}a,${random.pick(fields)}=x`,
      'metadata.namespace={{ns}}',
      `${random.pick(fields)}=x`,
      'metadata.name=a/b',
      'metadata.name',
      '',
    ];
    parameters.push(['fieldSelector', random.pick(selectors)]);
  }
  return parameters;
}

function some(random: Random, all: typeof WRITE, chance: number, only?: readonly string[]): Parameters {
  const choices = only ? all.filter(([name]) => only.includes(name)) : all;
  const parameters: Parameters = [];
  while (random.chance(chance)) {
    const [name, values] = random.pick(choices);
    parameters.push([name, random.pick(values)]);
  }
  return parameters;
}
