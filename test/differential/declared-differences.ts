import type { Difference } from './answers/compared-answer.js';
import type { Question } from './question.js';

/** An intended difference. */
export interface Declaration {
  /** The words with which docs/compatibility.md declares it; a unit test searches for them. */
  readonly documented: string;
  /** How often it matched in 1,000 questions, of 106,000 beside 1.37.2; 0.02 if at most twice. A run in which it matches far more often fails: it may cover something new. */
  readonly rate: number;
  /** Whether all these differences of one response are of this kind. */
  covers(differences: readonly Difference[], question: Question): boolean;
}

const at = (differences: readonly Difference[], path: string) => differences.find((each) => each.path === path);

/** What one value of a response may be on the two servers. */
type Expected = (upstream: unknown, ours: unknown) => boolean;

/** Whether every difference is at one of the paths, with values as expected there. */
export function areAll(differences: readonly Difference[], expected: readonly (readonly [RegExp, Expected])[]): boolean {
  return differences.every(({ path, upstream, ours }) => expected.some(([where, holds]) => where.test(path) && holds(upstream, ours)));
}

const anything: Expected = () => true;
const onlyUpstream: Expected = (upstream, ours) => upstream !== undefined && ours === undefined;
/** Several warnings make one header. */
const moreUpstream: Expected = (upstream, ours) =>
  ours === undefined || (typeof ours === 'string' && String(upstream).startsWith(`${ours}, `));
const isRefusal = (status: unknown) => typeof status === 'number' && status >= 400 && status < 500;
/** What a Status says about a refusal; for those whose reasons differ by declaration. */
const REFUSAL = /^body\.(message|reason|code|details)(\.|$)/;

export const DECLARED: readonly Declaration[] = [
  {
    documented: "Where kube-apiserver answers a client's own mistake with 500, this server answers 400",
    rate: 12.8,
    covers: (differences) =>
      at(differences, 'status') !== undefined &&
      areAll(differences, [
        [/^(status|body\.code)$/, (upstream, ours) => upstream === 500 && isRefusal(ours)],
        [/^body\.reason$/, (upstream) => upstream === undefined || upstream === 'InternalError'],
        [/^body\.message$/, (upstream, ours) => topicOf(upstream) === topicOf(ours)],
        [/^body\.details$/, anything],
        // The refusal of a path is no Status there.
        [/^(headers\.(content-type|x-content-type-options)|layout)$/, anything],
        [/^body$/, (upstream, ours) => String(upstream).trim() === (ours as { message?: unknown }).message],
      ]),
  },
  {
    documented: 'Where kube-apiserver closes the connection',
    rate: 0.05,
    covers: (differences, { method }) => {
      const status = at(differences, 'status');
      return method === 'PATCH' && isRefusal(status?.ours) && status?.upstream === 0 && at(differences, 'body')?.upstream === HUNG_UP;
    },
  },
  {
    documented: 'kube-apiserver takes a list with null in it for none',
    rate: 0.02,
    covers: (differences, { body }) =>
      at(differences, 'body.message')?.ours === 'metadata.managedFields must be nil' &&
      at(differences, 'status')?.ours === 400 &&
      [200, 201, 409, 422].includes(Number(at(differences, 'status')?.upstream)) &&
      /"managedFields":\[null/.test(JSON.stringify(body?.value ?? '')),
  },
  {
    documented: '`managedFields` in a configuration that is no list of objects is refused with the message for lists',
    rate: 0.15,
    covers: (differences, { body }) =>
      !isListOfObjects(managedFieldsIn(body?.value)) &&
      at(differences, 'status') !== undefined &&
      areAll(differences, [
        [/^(status|body\.code)$/, (upstream, ours) => upstream === 500 && ours === 400],
        [/^body\.reason$/, (upstream, ours) => upstream === undefined && ours === 'BadRequest'],
        [/^body\.message$/, (upstream, ours) => BAD_APPLY.test(String(upstream)) && ours === 'metadata.managedFields must be nil'],
      ]),
  },
  {
    documented: 'as are roles that would be empty without them',
    rate: 0.05,
    covers: (differences) =>
      areAll(differences, [
        [
          /^body\.status\.resourceRules\[\d+\]$/,
          (upstream, ours) => ours === undefined && JSON.stringify(upstream).includes('"clustertrustbundles"'),
        ],
      ]),
  },
  {
    documented: 'kube-apiserver names any of the bindings that allow a request',
    rate: 0.06,
    covers: (differences) =>
      areAll(differences, [[/\.reason$/, (upstream, ours) => GRANT.test(String(upstream)) && GRANT.test(String(ours))]]),
  },
  {
    documented: 'a replica first tries the way by which it last allowed a user to impersonate',
    rate: 1.3,
    covers: (differences, { headers }) =>
      Object.keys(headers).some((name) => name.startsWith('impersonate-')) &&
      areAll(differences, [
        [/^body\.message$/, (upstream, ours) => IMPERSONATION.test(String(upstream)) && IMPERSONATION.test(String(ours))],
        [/^body\.details(\.|$)/, anything],
      ]),
  },
  {
    documented: 'is refused before it is executed',
    rate: 6.6,
    covers: (differences, { method, headers: { accept = '' } }) =>
      method !== 'GET' &&
      accept.includes('as=PartialObjectMetadata') &&
      (at(differences, 'status') === undefined
        ? areAll(differences, [[/^headers\.warning$/, moreUpstream]])
        : WRONG_FORM.test(String(at(differences, 'body.message')?.ours)) &&
          areAll(differences, [
            [/^status$/, (upstream, ours) => (isRefusal(upstream) || SERVER_ERROR.test(messageOf(differences))) && ours === 406],
            [REFUSAL, anything],
            [/^headers\.retry-after$/, onlyUpstream],
            [/^headers\.warning$/, moreUpstream],
          ])),
  },
  {
    documented: 'A deletion that only marks its object returns the full object',
    rate: 0.15,
    covers: (differences, { method }) => {
      const status = at(differences, 'status');
      return method === 'DELETE' && status?.upstream === 406 && status.ours === 200 && WRONG_FORM.test(messageOf(differences));
    },
  },
  {
    documented: 'The causes of a conflict are ordered by manager and path',
    // 0.2 to 0.65, since three managers apply to the same objects
    rate: 0.4,
    covers: (differences) =>
      areAll(differences, [
        [/^body\.message$/, (upstream, ours) => linesOf(upstream) === linesOf(ours)],
        [/^body\.details\.causes\[\d+\]\.(message|field)$/, anything],
      ]) &&
      ['message', 'field'].every((member) => sameInAnyOrder(differences, new RegExp(`^body\\.details\\.causes\\[\\d+\\]\\.${member}$`))),
  },
  {
    documented: 'Errors of several labels are in the order of the labels',
    rate: 0.02,
    covers: (differences) =>
      at(differences, 'body.message') !== undefined &&
      areAll(differences, [
        [/^body\.message$/, (upstream, ours) => errorsOf(upstream) === errorsOf(ours)],
        [/^body\.details\.causes\[\d+\]\.message$/, anything],
      ]),
  },
  {
    documented: '`/version` names the build of this server',
    rate: 0.7,
    covers: (differences, { path }) =>
      path.startsWith('/version') &&
      areAll(differences, [
        [/^body\.gitVersion$/, (upstream, ours) => String(ours).startsWith(`${String(upstream)}+coordination-apiserver.`)],
        [/^body\.(gitCommit|gitTreeState|goVersion|buildDate|compiler|platform)$/, anything],
      ]),
  },
  {
    documented: 'An `eventTime` in the year 1 is none here',
    rate: 0.02,
    covers: (differences, { path, body }) =>
      path.includes('/events') &&
      JSON.stringify(body?.value ?? '').includes('"eventTime":"0001-') &&
      at(differences, 'status')?.upstream === 422,
  },
  {
    documented: 'Names may not contain a NUL character',
    rate: 0.4,
    covers: (differences) => String(at(differences, 'body.message')?.ours).includes('may not contain a NUL character'),
  },
  {
    documented: 'is refused for its kind; kube-apiserver may find a mistake in it first',
    rate: 0.4,
    covers: (differences) =>
      areAll(differences, [[/^body\.message$/, (upstream, ours) => WRONG_KIND.test(String(ours)) && OTHER_MISTAKE.test(String(upstream))]]),
  },
  {
    documented: 'A dry run of a deletion that would remove the last finalizer',
    rate: 0.02,
    covers: (differences, question) =>
      question.method === 'DELETE' &&
      isDryRun(question) &&
      at(differences, 'body.status')?.ours === 'Success' &&
      at(differences, 'body.metadata.name') === undefined &&
      at(differences, 'body.kind')?.upstream !== 'Status',
  },
  {
    documented: 'A deletion with a precondition on the resourceVersion that removes the last finalizer is executed',
    rate: 0.02,
    covers: (differences, { method }) =>
      method === 'DELETE' &&
      at(differences, 'status')?.upstream === 409 &&
      at(differences, 'status')?.ours === 200 &&
      messageOf(differences).includes('ResourceVersion in precondition: ,'),
  },
  {
    documented: 'A watch with a negative `timeoutSeconds` ends without any event',
    rate: 0.1,
    covers: (differences, { query }) =>
      query.some(([name, value]) => name === 'timeoutSeconds' && value.startsWith('-')) &&
      differences.some(({ upstream }) => /context deadline exceeded|type\W+ADDED/.test(JSON.stringify(upstream) ?? '')) &&
      differences.every(({ path, ours }) => !path.startsWith('body') || ours === undefined || ours === ''),
  },
  {
    documented: 'A dry run that creates an object returns it without a resourceVersion, and no dry run shows a selfLink',
    rate: 0.7,
    covers: (differences, question) => isDryRun(question) && areAll(differences, [[/metadata\.(resourceVersion|selfLink)$/, onlyUpstream]]),
  },
  {
    documented: 'A Table without Roles has no rows as `[]`, not null',
    rate: 0.1,
    covers: (differences) => areAll(differences, [[/^body\.rows$/, (upstream, ours) => upstream === null && isEmptyList(ours)]]),
  },
  {
    documented: 'A time in the year 1 (`0001-01-01T00:00:00Z`) is treated as unset',
    rate: 0.05,
    covers: (differences, question) =>
      namesYearOne(question) &&
      question.path.includes('/events') &&
      (at(differences, 'status') === undefined
        ? /^Event ".*" is invalid: .*(: needs to be unset|reportingComponent: Required value)/.test(messageOf(differences)) &&
          areAll(differences, [[/^body\.(message$|details\.causes\[)/, anything]])
        : areAll(differences, [
            [/^status$/, (upstream, ours) => isRefusal(upstream) !== isRefusal(ours)],
            [/^(body|headers|layout)/, anything],
          ])),
  },
  {
    documented: 'The index of an unknown field in CBOR',
    rate: 0.02,
    covers: (differences) =>
      areAll(differences, [
        [
          /^(headers\.warning|body\.message)$/,
          (upstream, ours) => withoutIndex(upstream) === withoutIndex(ours) && String(ours).includes('cbor: '),
        ],
      ]),
  },
  {
    documented: 'A `selfLink` in a configuration is ignored',
    rate: 0.02,
    covers: (differences, { method, body }) =>
      method === 'PATCH' &&
      body?.contentType?.includes('apply-patch') === true &&
      JSON.stringify(body.value ?? '').includes('selfLink') &&
      areAll(differences, [[/metadata\.(resourceVersion|managedFields\[\d+\]\.time)$/, anything]]),
  },
  {
    documented: 'does not show the `selfLink` that was sent',
    rate: 0.02,
    covers: (differences, { method }) =>
      ['PUT', 'PATCH'].includes(method) && areAll(differences, [[/^body\.metadata\.selfLink$/, onlyUpstream]]),
  },
  {
    documented: 'or name another of several mistakes',
    rate: 0.1,
    covers: (differences, { body }) =>
      body?.contentType === 'application/yaml' &&
      areAll(differences, [
        [/^body\.message$/, (upstream, ours) => YAML_MISTAKE.test(String(upstream)) && YAML_MISTAKE.test(String(ours))],
      ]),
  },
  {
    documented: 'An object of more than 1.5 MiB gets 413',
    rate: 0.02,
    covers: (differences) =>
      areAll(differences, [
        [/^(status|body\.code)$/, (upstream, ours) => upstream === 500 && ours === 413],
        [
          /^body\.message$/,
          (upstream, ours) => upstream === 'etcdserver: request is too large' && ours === 'Request entity too large: limit is 1572864',
        ],
        [/^body\.(reason|details)$/, anything],
      ]),
  },
  {
    documented: 'one to three seconds at random',
    rate: 0.3,
    covers: (differences, { path }) =>
      path.includes('/events') &&
      areAll(differences, [[/retryAfterSeconds$/, (upstream, ours) => [1, 2, 3].includes(Number(upstream)) && ours === 1]]),
  },
  {
    documented: '`/debug/pprof`',
    rate: 0.3,
    covers: (differences, { path }) =>
      path.startsWith('/debug/pprof') && at(differences, 'status')?.upstream === 200 && at(differences, 'status')?.ours === 404,
  },
  {
    documented: 'Null and the empty list are equal',
    rate: 0.02,
    covers: (differences, question) =>
      isDryRun(question) && differences.every(({ upstream, ours }) => isEmptyList(upstream) && ours === null),
  },
  {
    documented: 'a list that is null in `extra` of an access review is shown as empty',
    rate: 0.07,
    covers: (differences) => areAll(differences, [[/^body\.spec\.extra\./, (upstream, ours) => upstream === null && isEmptyList(ours)]]),
  },
];

const HUNG_UP = 'Error: socket hang up';
/** What writes get a 500 for, though it is the client's mistake. */
const SERVER_ERROR =
  /^(failed to create typed patch object \(|unable to find api field in struct \w+ for the json field |invalid shard selector: |resourceVersion should not be set on objects to be created$|strconv\.ParseUint: parsing "\w*": invalid syntax$)/;
/** The first of the errors of a configuration that does not fit the schema. */
const BAD_APPLY = /^failed to create typed patch object \(/;
const YAML_MISTAKE =
  /^the object provided is unrecognized \(must be of type \w+\): yaml: .* \([0-9a-f]* ?(\.\.\.|)\)$|error converting YAML to JSON: yaml: /;
const IMPERSONATION = / is forbidden: User "[^"]+" cannot impersonate(-on:[\w-]+:\w+|:[\w-]+)? /;
export const GRANT = /^RBAC: allowed by (Cluster)?RoleBinding "[^"]+" of (Cluster)?Role "[^"]+" to (User|Group|ServiceAccount) "[^"]+"$/;
const WRONG_FORM = /^you requested PartialObjectMetadata(List)?, but the requested object is (not )?a list \(\*[\w.]+\)$/;
const WRONG_KIND = /cannot be handled as a \w+: (converting .*: unknown conversion|no kind )/;
/** A mistake in the text of a body, or in the value of a field. */
const OTHER_MISTAKE = /cannot be handled as a \w+: /;

function managedFieldsIn(object: unknown): unknown {
  return (object as { metadata?: { managedFields?: unknown } | null } | undefined)?.metadata?.managedFields;
}

/** A message up to its first colon, as in the replay of the recordings. */
function topicOf(message: unknown): string {
  return String(message).split(':')[0] ?? '';
}

function messageOf(differences: readonly Difference[]): string {
  return String(at(differences, 'body.message')?.upstream);
}

/** The lines of a message about conflicts, in order of their text. */
function linesOf(message: unknown): string {
  const text = String(message).replace(/^Apply failed with \d+ conflicts?: /, '');
  return text.split('\n').sort().join('\n');
}

/** The errors of a message about an invalid object, and last those of labels, in order of their text. */
function errorsOf(message: unknown): string {
  const errors = String(message)
    .replace(/\]$/, '')
    .split(/(?:, |\[)(?=(?:metadata|spec|status)\.\w+: )/);
  const isLabel = (error: string) => error.startsWith('metadata.labels: ');
  return [...errors.filter((error) => !isLabel(error)), ...errors.filter(isLabel).sort()].join('\n');
}

function sameInAnyOrder(differences: readonly Difference[], path: RegExp): boolean {
  const found = differences.filter((each) => path.test(each.path));
  const sorted = (side: 'upstream' | 'ours') => JSON.stringify(found.map((each) => String(each[side])).sort());
  return sorted('upstream') === sorted('ours');
}

/** A time that Go treats as the zero time. */
export function namesYearOne({ body }: Question): boolean {
  return JSON.stringify(body?.value ?? '').includes('0001-01-01T00:00:00');
}

function withoutIndex(value: unknown): string {
  return String(value).replaceAll(/map element index \d+/g, 'map element index');
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function isDryRun({ query }: Question): boolean {
  return query.some(([name, value]) => name === 'dryRun' && value === 'All');
}

/** Returns the declaration that covers a response's differences; undefined if there is none. */
export function declarationOf(differences: readonly Difference[], question: Question): Declaration | undefined {
  return DECLARED.find((declaration) => declaration.covers(differences, question));
}
