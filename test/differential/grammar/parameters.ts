import type { Random } from '../../fuzz/random.js';
import type { AskedResource } from './resources.js';

export type Parameters = [string, string][];

type Choices = readonly (readonly [string, readonly string[]])[];

/** Every request has a deadline, which no answer here comes near. */
const TIMEOUT: Choices[number] = ['timeout', ['30s', '1m0.5s', '1h', '0', '-1s', '5', 'x', '']];

const WRITE: Choices = [
  TIMEOUT,
  ['dryRun', ['All', 'All', 'None', 'all', 'All,All', '']],
  ['fieldManager', ['tester', 'other', '', 'x'.repeat(129), 'a\nb', 'é'.repeat(100)]],
  ['fieldValidation', ['Strict', 'Warn', 'Ignore', 'Odd', '']],
  ['pretty', ['true', 'false', '1', '']],
  ['force', ['true', 'false', 'maybe', '']],
];

/** By namespaces, whose hashes are those of the same names on both servers. */
const SHARDS = ["'0x0000000000000000', '0x8000000000000000'", "'0x8000000000000000', '0x10000000000000000'", "'0x2', '0x1'"].map(
  (range) => `shardRange(object.metadata.namespace, ${range})`,
);

const LABELS = [
  ...[
    'app=x',
    'app',
    '!app',
    'app in (x,y)',
    'n>4',
    'a b',
    'app=x,',
    '',
    'app==x',
    'app!=x',
    'app=',
    'app notin (x)',
    'app in ()',
    'app in (,x)',
  ],
  ...[
    'example.com/k=',
    '-app=x',
    'app=-x',
    'app in x',
    '(app)',
    'app=x,app=y',
    ' app = x , n ',
    'n<x',
    'n>07',
    '!app=x',
    ',',
    'a/b/c',
    'app in (x',
    '!',
  ],
];

const LIST: Choices = [
  TIMEOUT,
  ['labelSelector', LABELS],
  ['shardSelector', [...SHARDS, 'x', '']],
  ['includeObject', ['None', 'Metadata', 'Object', 'Odd', '']],
  ['limit', ['1', '2', '500', '-1', '0', 'x', '', '9223372036854775807', '9223372036854775808', '1.0', '+1']],
  ['continue', ['{{continue}}', '{{continue}}', 'bad', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0', '']],
  ['resourceVersion', ['0', '0', '', '{{rv:PATH/a}}', '{{first-rv:PATH/a}}', 'abc', '-1']],
  ['resourceVersionMatch', ['Exact', 'NotOlderThan', 'Odd', '']],
  ['timeoutSeconds', ['5', '0', '-1', 'x', '', '99999999999']],
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

const DELETE: Choices = [
  TIMEOUT,
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
  return some(random, LIST, 0.2);
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
      `metadata.name==${prefix}a`,
      `metadata.name=${prefix}a,metadata.name=${prefix}b`,
      `metadata.name=${prefix}a,metadata.namespace!={{ns}}`,
      'metadata.name=a\\,b',
      'metadata.name=a\\b',
      'metadata.name in (a)',
      '=a',
      ',',
      `${random.pick(fields)}!=`,
    ];
    parameters.push(['fieldSelector', random.pick(selectors)]);
  }
  return parameters;
}

function some(random: Random, choices: Choices, chance: number): Parameters {
  const parameters: Parameters = [];
  while (random.chance(chance)) {
    const [name, values] = random.pick(choices);
    parameters.push([name, random.pick(values)]);
  }
  return parameters;
}
