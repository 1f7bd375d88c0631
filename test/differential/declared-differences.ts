import type { Difference } from './answers/compared-answer.js';
import type { Question } from './question.js';

/** An intended difference. */
export interface Declaration {
  /** The words with which docs/compatibility.md declares it; a unit test searches for them. */
  readonly documented: string;
  /** Whether all these differences of one response are of this kind. */
  covers(differences: readonly Difference[], question: Question): boolean;
}

const at = (differences: readonly Difference[], path: string) => differences.find((each) => each.path === path);
const only = (differences: readonly Difference[], path: RegExp) => differences.every((each) => path.test(each.path));

export const DECLARED: readonly Declaration[] = [
  {
    documented: "Where kube-apiserver answers a client's own mistake with 500, this server answers 400",
    covers: (differences) => {
      const status = at(differences, 'status');
      return status?.upstream === 500 && typeof status.ours === 'number' && status.ours >= 400 && status.ours < 500;
    },
  },
  {
    documented: 'Where kube-apiserver closes the connection',
    covers: (differences, { method }) => {
      const status = at(differences, 'status');
      const refused = typeof status?.ours === 'number' && status.ours >= 400 && status.ours < 500;
      return method === 'PATCH' && refused && status.upstream === 0 && at(differences, 'body')?.upstream === 'Error: socket hang up';
    },
  },
  {
    documented: 'kube-apiserver takes a list with null in it for none',
    covers: (differences) =>
      at(differences, 'body.message')?.ours === 'metadata.managedFields must be nil' && at(differences, 'status')?.ours === 400,
  },
  {
    documented: 'kube-apiserver names any of the bindings that allow a request',
    covers: (differences) =>
      only(differences, /\.reason$/) && differences.every(({ upstream, ours }) => isGrant(upstream) && isGrant(ours)),
  },
  {
    documented: 'is refused before it is executed',
    covers: (differences, { method, headers }) =>
      method !== 'GET' &&
      (at(differences, 'status')?.ours === 406
        ? isRefusedForm(differences)
        : asksForOtherForm(headers) && only(differences, /^headers\.warning$/)),
  },
  {
    documented: 'A deletion that only marks its object returns the full object',
    covers: (differences, { method }) => {
      const status = at(differences, 'status');
      return method === 'DELETE' && status?.upstream === 406 && status.ours === 200;
    },
  },
  {
    documented: 'The causes of a conflict are ordered by manager and path',
    covers: (differences) => only(differences, CONFLICT) && differences.every(({ upstream }) => isAboutConflicts(upstream)),
  },
  {
    documented: '`/version` names the build of this server',
    covers: (differences, { path }) => path.startsWith('/version') && only(differences, /^body\.(git|go|build|compiler|platform)/),
  },
  {
    documented: 'Names may not contain a NUL character',
    covers: (differences) => String(at(differences, 'body.message')?.ours).includes('may not contain a NUL character'),
  },
  {
    documented: 'is refused for its kind; kube-apiserver may find a mistake in it first',
    covers: (differences) => only(differences, /^body\.message$/) && WRONG_KIND.test(String(at(differences, 'body.message')?.ours)),
  },
  {
    documented: 'A dry run of a deletion that would remove the last finalizer',
    covers: (differences, { method }) =>
      method === 'DELETE' && at(differences, 'body.status')?.ours === 'Success' && isEmptyObject(differences),
  },
  {
    documented: 'A deletion with a precondition on the resourceVersion that removes the last finalizer is executed',
    covers: (differences, { method }) =>
      method === 'DELETE' && String(at(differences, 'body.message')?.upstream).includes('ResourceVersion in precondition: ,'),
  },
  {
    documented: 'A watch with a negative `timeoutSeconds` ends without any event',
    covers: (_, { query }) => query.some(([name, value]) => name === 'timeoutSeconds' && value.startsWith('-')),
  },
  {
    documented: 'A dry run that creates an object returns it without a resourceVersion, and no dry run shows a selfLink',
    covers: (differences, question) =>
      isDryRun(question) &&
      only(differences, /metadata\.(resourceVersion|selfLink)$/) &&
      differences.every(({ ours }) => ours === undefined),
  },
  {
    documented: 'A Table without Roles has no rows as `[]`, not null',
    covers: (differences) => only(differences, /^body\.rows$/) && differences[0]?.upstream === null,
  },
  {
    documented: 'A time in the year 1 (`0001-01-01T00:00:00Z`) is treated as unset',
    covers: (_, question) => namesYearOne(question),
  },
  {
    documented: 'The index of an unknown field in CBOR',
    covers: (differences) =>
      only(differences, /^(headers\.warning|body\.message)$/) &&
      differences.every(({ upstream, ours }) => withoutIndex(upstream) === withoutIndex(ours) && String(ours).includes('cbor: ')),
  },
  {
    documented: 'A `selfLink` in a configuration is ignored',
    covers: (differences, { method, body }) =>
      method === 'PATCH' &&
      JSON.stringify(body?.value ?? '').includes('selfLink') &&
      only(differences, /metadata\.(resourceVersion|managedFields\[\d+\]\.time)$/),
  },
  {
    documented: 'does not show the `selfLink` that was sent',
    covers: (differences, { method }) =>
      ['PUT', 'PATCH'].includes(method) &&
      only(differences, /^body\.metadata\.selfLink$/) &&
      differences.every(({ ours }) => ours === undefined),
  },
  {
    documented: 'A LeaseCandidate whose finalizers repeat keeps its managedFields',
    covers: (differences, { path }) =>
      path.includes('leasecandidates') &&
      only(differences, /metadata\.(managedFields|resourceVersion)$/) &&
      differences.some(
        ({ path: field, upstream, ours }) =>
          field.endsWith('managedFields') && upstream === undefined && JSON.stringify(ours).includes('f:finalizers'),
      ),
  },
  {
    documented: 'Null and the empty list are equal',
    covers: (differences, question) =>
      isDryRun(question) && differences.every(({ upstream, ours }) => isEmptyList(upstream) && ours === null),
  },
  {
    documented: 'a list that is null in `extra` of an access review is shown as empty',
    covers: (differences) => differences.every(({ path, upstream }) => /^body\.spec\.extra\./.test(path) && upstream === null),
  },
];

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

function isDryRun({ query }: Question): boolean {
  return query.some(([name, value]) => name === 'dryRun' && value === 'All');
}

const CONFLICT = /^body\.(message|details\.causes\[\d+\]\.(message|field))$/;

/** A text about conflicts, or one of the fields in conflict. */
function isAboutConflicts(value: unknown): boolean {
  return /conflict/.test(String(value)) || /^\./.test(String(value));
}

const WRONG_KIND = /cannot be handled as a \w+: (converting .*: unknown conversion|no kind )/;

/** kube-apiserver shows an empty object. */
function isEmptyObject(differences: readonly Difference[]): boolean {
  return at(differences, 'body.metadata.name') === undefined && at(differences, 'body.kind')?.upstream !== 'Status';
}

/** Both refuse, but kube-apiserver has read the body first. */
function asksForOtherForm({ accept = '' }: Question['headers']): boolean {
  return accept.includes('as=PartialObjectMetadata');
}

function isRefusedForm(differences: readonly Difference[]): boolean {
  return String(at(differences, 'body.message')?.ours).startsWith('you requested');
}

function isGrant(value: unknown): boolean {
  return String(value).startsWith('RBAC: allowed by');
}

/** Returns the declaration that covers a response's differences; undefined if there is none. */
export function declarationOf(differences: readonly Difference[], question: Question): Declaration | undefined {
  return DECLARED.find((declaration) => declaration.covers(differences, question));
}
