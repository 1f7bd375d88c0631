import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { findUpstream, MissingUpstreamError, REFERENCE } from '../../bench/contenders/find-upstream.js';
import { Normalizer } from './answers/normalize.js';
import { DECLARED } from './declared-differences.js';
import { HELP, parseDifferentialOptions } from './differential-options.js';
import { RESOURCES } from './grammar/resources.js';
import { someSequence } from './grammar/some-sequence.js';
import { KnownValues } from './known-values.js';
import type { Question } from './question.js';
import { groupOf } from './question.js';
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
    expect(seen(({ identity }) => identity).size).toBe(7);
    expect([...seen(({ body }) => body?.encoding)]).toEqual(
      expect.arrayContaining(['json', 'yaml', 'cbor', 'protobuf', 'raw', 'base64', undefined]),
    );
    expect([...seen(({ body }) => body?.contentType?.split('/')[1])]).toEqual(
      expect.arrayContaining(['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']),
    );
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

  it('distinguishes kinds by question and values', () => {
    expect(signatureOf(finding('x'))).not.toBe(signatureOf(finding('y')));
    expect(signatureOf(finding('x'))).toContain('leases/NAME');
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
