import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { findUpstream, MissingUpstreamError, REFERENCE } from '../../bench/contenders/find-upstream.js';
import { Normalizer } from './answers/normalize.js';
import { declarationOf, DECLARED } from './declared-differences.js';
import { HELP, parseDifferentialOptions } from './differential-options.js';
import { RESOURCES } from './grammar/resources.js';
import { someSequence } from './grammar/some-sequence.js';
import { KnownValues } from './known-values.js';
import { maxExpected } from './most-expected.js';
import { type Plain, type Question, groupOf } from './question.js';
import { Report } from './report.js';
import { shrink, simplerQuestions } from './shrink.js';
import { signatureOf } from './signature.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases';
const question = (path: string, more: Partial<Question> = {}): Question => ({
  method: 'GET',
  path,
  query: [],
  headers: {},
  identity: 'admin',
  ...more,
});

describe('the questions of a seed', () => {
  it('are the same every time, and differ between sequence numbers', () => {
    expect(someSequence(7, 3)).toEqual(someSequence(7, 3));
    expect(someSequence(7, 3)).not.toEqual(someSequence(7, 4));
  });

  it('cover every resource, method, identity and encoding', () => {
    const asked = Array.from({ length: 400 }, (_, at) => someSequence(1, at).questions).flat();
    const seen = (pick: (each: Question) => string | undefined) => new Set(asked.map(pick));
    for (const { collection } of RESOURCES) expect(asked.some(({ path }) => path.startsWith(collection))).toBe(true);
    expect([...seen(({ method }) => method)]).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
    expect(seen(({ identity }) => identity).size).toBe(8);
    expect([...seen(({ body }) => body?.encoding)]).toEqual(
      expect.arrayContaining(['json', 'yaml', 'cbor', 'protobuf', 'raw', 'base64', undefined]),
    );
    expect([...seen(({ body }) => body?.contentType?.split('/')[1])]).toEqual(
      expect.arrayContaining(['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']),
    );
  });

  it('ask what 1.37 changed: system fields of a new object, watch lists with gzip, unsafe deletions', () => {
    const asked = Array.from({ length: 400 }, (_, at) => someSequence(3, at).questions).flat();
    const unsafe = 'ignoreStoreReadErrorWithClusterBreakingPotential';
    const has = ({ query }: Question, name: string) => query.some(([parameter]) => parameter === name);
    const metadataOf = ({ body }: Question) => ((body?.value as Plain | null)?.['metadata'] ?? {}) as Plain;
    const creates = (each: Question) => each.method === 'PUT' && metadataOf(each)['resourceVersion'] === undefined;
    for (const some of [
      (each: Question) => creates(each) && metadataOf(each)['deletionTimestamp'] !== undefined,
      (each: Question) => has(each, 'sendInitialEvents') && each.headers['accept-encoding'] === 'gzip',
      (each: Question) => each.method === 'DELETE' && has(each, unsafe),
      (each: Question) => JSON.stringify(each.body?.value ?? '').includes(unsafe),
    ]) {
      expect(asked.filter(some).length).toBeGreaterThan(2);
    }
  });

  it('never delete foreign namespaces or roles', () => {
    const asked = Array.from({ length: 600 }, (_, at) => someSequence(2, at).questions).flat();
    const collections = RESOURCES.filter(({ prefix }) => prefix !== '').map(({ collection }) => collection);
    for (const { method, path, query } of asked) {
      if (method !== 'DELETE' || !collections.includes(path)) continue;
      expect(query.filter(([name]) => name === 'fieldSelector')).not.toEqual([]);
    }
  });
});

describe('groups', () => {
  it.each([
    [LEASES, 'leases'],
    ['/apis/coordination.k8s.io/v1beta1/leasecandidates', 'leasecandidates'],
    ['/api/v1/namespaces', 'namespaces'],
    ['/api/v1/namespaces/{{ns}}-a/finalize', 'namespaces'],
    ['/api/v1/namespaces/{{ns}}/events', 'elsewhere'],
    ['/version', 'elsewhere'],
  ])('%s belongs to %s', (path, group) => {
    expect(groupOf(question(path))).toBe(group);
  });
});

describe('declared differences', () => {
  const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');

  it.each(DECLARED.map(({ documented }) => documented))('are documented: %s', (documented) => {
    expect(page).toContain(documented);
  });

  /** The rule, by a part of its text, that covers these differences: path, value of kube-apiserver, value of this server. */
  const ruleOf = (asked: Question, ...differences: (readonly [string, unknown, unknown])[]) =>
    declarationOf(
      differences.map(([path, upstream, ours]) => ({ path, upstream, ours })),
      asked,
    )?.documented;
  const form = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };
  const write = question(LEASES, { method: 'POST' });

  it('cover another binding that allows, but no other text of a reason', () => {
    const allowed = (group: string) => `RBAC: allowed by ClusterRoleBinding "a" of ClusterRole "b" to Group "${group}"`;
    expect(ruleOf(write, ['body.status.reason', allowed('x'), allowed('y')])).toContain('names any of the bindings');
    expect(ruleOf(write, ['body.status.reason', `rbac: ${allowed('x')}`, allowed('x')])).toBeUndefined();
    expect(ruleOf(write, ['body.status.reason', `${allowed('x')}; not found`, allowed('x')])).toBeUndefined();
  });

  it('cover a 500 that is a 400 here with the same message, but not with another', () => {
    const code: [string, unknown, unknown] = ['status', 500, 400];
    expect(ruleOf(write, code, ['body.code', 500, 400], ['body.reason', undefined, 'BadRequest'])).toContain('with 500');
    expect(ruleOf(write, code, ['body.message', 'bad shard: x', 'bad shard: y'])).toContain('with 500');
    expect(ruleOf(write, code, ['body.message', 'error decoding patch: x', 'failed to create typed patch object'])).toBeUndefined();
    expect(ruleOf(write, code, ['body.metadata.name', 'a', undefined])).toBeUndefined();
  });

  it('cover other causes of a conflict only if they are the same in another order', () => {
    const field = (at: number, upstream: string, ours: string): [string, unknown, unknown] => [
      `body.details.causes[${at}].field`,
      upstream,
      ours,
    ];
    expect(ruleOf(write, field(0, '.a', '.b'), field(1, '.b', '.a'))).toContain('causes of a conflict');
    expect(ruleOf(write, field(0, '.a', '.b'))).toBeUndefined();
    expect(ruleOf(write, field(0, '.a', '.b'), ['body.details.causes[1]', undefined, { field: '.a' }])).toBeUndefined();
    const said = (...lines: string[]) => `Apply failed with 2 conflicts: ${lines.join('\n')}`;
    expect(ruleOf(write, ['body.message', said('conflicts with "a"', '- .x'), said('- .x', 'conflicts with "a"')])).toContain('conflict');
    expect(ruleOf(write, ['body.message', said('conflicts with "a"', '- .x'), said('conflicts with "a"', '- .y')])).toBeUndefined();
  });

  it('cover the errors of labels in another order, but no other errors, and no other order of these', () => {
    const said = (...errors: string[]): unknown => `Namespace "x" is invalid: [${errors.join(', ')}]`;
    const [name, a, b] = ['metadata.name: Invalid value: "x"', 'metadata.labels: "a", or so', 'metadata.labels: "b"'] as const;
    const cause = (upstream: string): [string, unknown, unknown] => ['body.details.causes[1].message', upstream, 'x'];
    expect(ruleOf(write, ['body.message', said(name, a, b), said(name, b, a)], cause('a'))).toContain('several labels');
    expect(ruleOf(write, ['body.message', said(name, a, b), said(name, b, b)], cause('a'))).toBeUndefined();
    const annotations = 'metadata.annotations: "b"';
    expect(ruleOf(write, ['body.message', said(name, annotations), said(annotations, name)])).toBeUndefined();
  });

  it('cover a refused form of response only where kube-apiserver refuses, too', () => {
    const refused = 'you requested PartialObjectMetadataList, but the requested object is not a list (*coordination.Lease)';
    const asked = { ...write, headers: form };
    expect(ruleOf(asked, ['status', 409, 406], ['body.message', 'exists', refused])).toContain('refused before');
    expect(ruleOf(asked, ['status', 201, 406], ['body.message', undefined, refused])).toBeUndefined();
    expect(ruleOf(asked, ['status', 409, 406], ['body.message', 'exists', 'you requested something else'])).toBeUndefined();
    expect(ruleOf(asked, ['headers.warning', '299 - "x"', '299 - "y"'])).toBeUndefined();
    expect(ruleOf(asked, ['headers.warning', '299 - "x", 299 - "y"', '299 - "x"'])).toContain('refused before');
    const apply: [string, unknown, unknown] = ['body.message', 'failed to create typed patch object (/a): .x', refused];
    expect(ruleOf(asked, ['status', 500, 406], apply)).toContain('refused before');
    const versioned: [string, unknown, unknown] = ['body.message', 'resourceVersion should not be set on objects to be created', refused];
    expect(ruleOf(asked, ['status', 500, 406], versioned)).toContain('refused before');
    const sharded: [string, unknown, unknown] = ['body.message', 'invalid shard selector: shardRange: start must be less', refused];
    expect(ruleOf(asked, ['status', 500, 406], sharded)).toContain('refused before');
    expect(ruleOf(asked, ['status', 500, 406], ['body.message', 'x', refused])).toBeUndefined();
  });

  it('cover managedFields that are no list of objects', () => {
    const said = (managedFields: unknown, upstream: string) => {
      const body = { encoding: 'json', contentType: 'application/apply-patch+yaml', value: { metadata: { managedFields } } } as const;
      const message: [string, unknown, unknown] = ['body.message', upstream, 'metadata.managedFields must be nil'];
      return ruleOf(question(LEASES, { method: 'PATCH', body }), ['status', 500, 400], message);
    };
    const upstream = 'failed to create typed patch object (/a): .metadata.managedFields: expected list, got &{0}';
    expect(said(0, upstream)).toContain('that is no list of objects');
    for (const item of ['x', null]) expect(said([item], upstream)).toContain('that is no list of objects');
    expect(said([{}], upstream)).toBeUndefined();
    expect(said(0, 'something new')).toBeUndefined();
  });

  it('cover the first events of a watch that has ended before it began', () => {
    const event = { type: 'ADDED', object: {} };
    const watch = (value: string) => question(LEASES, { query: [['timeoutSeconds', value]] });
    for (const upstream of [event, { unreadable: JSON.stringify(event) }]) {
      expect(ruleOf(watch('-1'), ['layout', 'compact', ''], ['body', upstream, ''])).toContain('negative');
      expect(ruleOf(watch('1'), ['layout', 'compact', ''], ['body', upstream, ''])).toBeUndefined();
    }
    expect(ruleOf(watch('-1'), ['body', event, { type: 'DELETED' }])).toBeUndefined();
  });

  it('cover a further error about a time in the year 1, and a refusal for it', () => {
    const body = { encoding: 'json', contentType: 'x', value: { firstTimestamp: '0001-01-01T00:00:00Z' } } as const;
    const event = question('/api/v1/namespaces/{{ns}}/events', { method: 'POST', body });
    const cause: [string, unknown, unknown] = ['body.details.causes[1]', { field: 'firstTimestamp' }, undefined];
    const said = (text: string): [string, unknown, unknown] => ['body.message', text, 'Event is invalid: x'];
    expect(ruleOf(event, said('Event "a" is invalid: [x, firstTimestamp: Invalid value: "": needs to be unset]'), cause)).toContain(
      'year 1',
    );
    expect(ruleOf(event, said('Event is invalid: y'), cause)).toBeUndefined();
    expect(ruleOf(event, ['status', 201, 422], ['layout', 'compact', 'indented'], ['body.kind', 'Table', 'Status'])).toContain('year 1');
    expect(ruleOf(event, cause)).toBeUndefined();
  });

  it("cover the build's version only if it is of kube-apiserver's", () => {
    const version = question('/version');
    expect(ruleOf(version, ['body.gitVersion', 'v1.37.2', 'v1.37.2+coordination-apiserver.0.1.0'])).toContain('/version');
    expect(ruleOf(version, ['body.gitVersion', 'v1.38.0', 'v1.37.2+coordination-apiserver.0.1.0'])).toBeUndefined();
    expect(ruleOf(version, ['body.minor', '38', '37'])).toBeUndefined();
  });

  it('cover a mistake in a body of another kind, but no other message', () => {
    const ours = 'Lease in version "v1" cannot be handled as a Lease: no kind "Pod" is registered for version "v1"';
    expect(ruleOf(write, ['body.message', 'Pod in version "v1" cannot be handled as a Lease: json: x', ours])).toContain('for its kind');
    expect(ruleOf(write, ['body.message', 'something new', ours])).toBeUndefined();
    expect(ruleOf(write, ['status', 415, 400], ['body.message', 'Pod cannot be handled as a Lease: x', ours])).toBeUndefined();
  });

  it('do not cover other differences', () => {
    const differences = [{ path: 'body.spec.holderIdentity', upstream: 'a', ours: 'b' }];
    expect(DECLARED.filter((each) => each.covers(differences, question(LEASES)))).toEqual([]);
  });
});

describe('placeholders', () => {
  it('are replaced by values from earlier responses', () => {
    const known = new KnownValues('n1');
    known.note('/x/n1/things', { metadata: { name: 'a', uid: 'u', resourceVersion: '5' } });
    known.note('/x/n1/things', { metadata: { name: 'a', uid: 'u', resourceVersion: '8' } });
    expect(known.fillAll({ '{{ns}}': ['{{rv:/x/{{ns}}/things/a}}', '{{first-rv:/x/{{ns}}/things/a}}'] })).toEqual({ n1: ['8', '5'] });
  });
});

describe('versions in texts', () => {
  it('are marked, even where a patch has copied them into another field', () => {
    const known = new KnownValues('ns');
    const normalizer = new Normalizer(known, Date.now);
    normalizer.body({ metadata: { resourceVersion: '1234' } });
    const unknown = JSON.stringify(JSON.stringify({ metadata: { resourceVersion: '987' } }));
    expect(normalizer.text(unknown)).toBe(unknown.replace('987', '<rv-2>'));
    const text = `Invalid value: ${JSON.stringify('{"resourceVersion":"1234","preferredHolder":"1234","strategy":"77"}')}`;
    expect(normalizer.text(text)).toBe(text.replaceAll('1234', '<rv-1>'));
    expect(normalizer.text('parsing time "1234" as "2006-01": cannot parse "" as "-": no')).toBe('parsing time <rv-1>: no');
    expect(normalizer.text('parsing time "77" as "2006-01": cannot parse "77" as "2006"')).toContain('cannot parse "77"');
  });
});

describe('shrinking', () => {
  const long = [question('/a'), question('/b'), question('/c', { query: [['x', '1']], headers: { h: 'v' } }), question('/d')];

  it('keeps what is needed', async () => {
    const needs = (questions: readonly Question[]) =>
      Promise.resolve(questions.some(({ path, query }) => path === '/c' && query.length > 0) && questions.at(-1)?.path === '/d');
    expect(await shrink(long, needs, 100)).toEqual([question('/c', { query: [['x', '1']] }), question('/d')]);
  });

  it('stays within its number of attempts', async () => {
    let asked = 0;
    await shrink(long, () => Promise.resolve(++asked < 0), 3);
    expect(asked).toBe(3);
  });

  it('keeps the kind of a protobuf body, which names its message', () => {
    const body = { encoding: 'protobuf', contentType: 'x', value: { kind: 'Lease', spec: {} } } as const;
    expect(simplerQuestions(question('/a', { body })).map((each) => each.body?.value)).toEqual([{ kind: 'Lease' }]);
  });
});

describe('the report', () => {
  const finding = (value: string) => ({
    place: 0,
    question: question(`${LEASES}/a`),
    differences: [{ path: 'body.items[3].x', upstream: value, ours: 1 }],
    declaration: undefined,
  });

  it('counts findings of one kind together, and prints rates by group', () => {
    const report = new Report();
    for (let at = 0; at < 4; at++) report.asked(question(LEASES));
    expect(report.found(finding('"a" of 1234'), 1, [])).toBeDefined();
    expect(report.found(finding('"b" of 5678'), 2, [])).toBeUndefined();
    expect(report.rate('leases')).toBe(500);
    expect(report.rate('elsewhere')).toBe(0);
    expect(report.lines(9).at(-4)).toBe('leases: 4 questions, 2 undeclared differences, 500.00 in 1,000');
    expect(report.lines(9).join('\n')).toContain('--seed=9 --only=1');
  });

  it('names the rule that matches far more often than its rate says', () => {
    const rule = DECLARED.find(({ rate }) => rate === 0.4);
    const report = new Report();
    for (let at = 0; at < 3000; at++) report.asked(question(LEASES));
    const most = maxExpected(0.4, 3000);
    for (let at = 0; at < most; at++) report.found({ ...finding('x'), declaration: rule }, 1, []);
    expect(report.suspicious()).toEqual([]);
    report.found({ ...finding('x'), declaration: rule }, 1, []);
    expect(report.suspicious()).toEqual([rule]);
    expect(report.lines(9).join('\n')).toContain(`declared ${most + 1} times (3.67 in 1,000, usually 0.4): TOO OFTEN`);
    expect(report.coveredLines(9).join('\n')).toContain(`${most + 1} × `);
    expect([...report.kinds]).toEqual([]);
  });

  it('distinguishes kinds by question and values', () => {
    expect(signatureOf(finding('x'))).not.toBe(signatureOf(finding('y')));
    expect(signatureOf(finding('x'))).toContain('leases/NAME');
  });
});

describe('how often a rule may match', () => {
  it('leaves chance more room in a short run, and less than thrice the rate in a long one', () => {
    const most = (rate: number, questions: number) => maxExpected(rate, questions);
    expect([most(0.05, 3000), most(1, 3000), most(12.7, 3000)]).toEqual([4, 17, 110]);
    expect([most(0.05, 20_000), most(1, 20_000), most(12.7, 20_000)]).toEqual([9, 65, 593]);
    expect(most(12.7, 1_000_000)).toBeLessThan(26_500);
    expect(most(0, 20_000)).toBe(0);
  });
});

describe('the command line', () => {
  it('is parsed, with the time as the default seed', () => {
    expect(parseDifferentialOptions(['--questions=5'], () => 42_000)).toMatchObject({ seed: 42, questions: 5, shrink: true });
    expect(parseDifferentialOptions(['--help'])).toBeUndefined();
    expect(() => parseDifferentialOptions(['--seed=x'])).toThrow('--seed is a whole number, not x');
    expect(HELP).toContain('~/.cache/upstream-VERSION');
  });

  it('reports missing or unknown input in one line', () => {
    expect(() => findUpstream({}, { UPSTREAM_HOME: '/nowhere' })).toThrow(MissingUpstreamError);
    const missing = (environment: NodeJS.ProcessEnv, given = {}) => {
      try {
        return findUpstream(given, environment).apiserver;
      } catch (error) {
        return (error as Error).message.replace(homedir(), '~');
      }
    };
    const how = 'test/upstream/build.sh builds it, or UPSTREAM_HOME names another folder';
    expect(missing({}, { apiserver: '/nowhere/k' })).toBe(`there is no /nowhere/k: ${how}`);
    expect(missing({ KUBE: '1.0.0' })).toBe(`there is no ~/.cache/upstream-1.0.0/bin/kube-apiserver: ${how}`);
    expect(missing({ UPSTREAM_HOME: '/nowhere', KUBE: '1.0.0' })).toBe(`there is no /nowhere/bin/kube-apiserver: ${how}`);
    expect(REFERENCE).toMatch(/^1\.\d+\.\d+$/);
  });
});
