import { constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { KnownValues } from '../known-values.js';
import { compareAnswers, ORDER } from './compared-answer.js';
import { Normalizer } from './normalize.js';
import { readAnswer } from './read-answer.js';

const NOW = Date.parse('2026-05-05T12:00:00Z');
const UID = '3f2b7c1e-0000-4000-8000-1234567890ab';
const answer = (body: unknown, contentType = 'application/json') => ({
  status: 200,
  headers: { 'content-type': contentType },
  layout: '',
  body,
});

describe('values that necessarily differ between two servers', () => {
  const normalizer = (known = new KnownValues('ns')) => new Normalizer(known, () => NOW);

  it('are replaced by marks: versions, uids, current times, generated names', () => {
    const metadata = { name: 'gen-x7k9z', uid: UID, resourceVersion: '4711', creationTimestamp: '2026-05-05T12:00:03Z' };
    expect(normalizer().body({ metadata, spec: { renewTime: '2024-01-01T00:00:00.000000Z' } })).toEqual({
      metadata: { name: 'gen-<generated>', uid: '<uid-1>', resourceVersion: '<rv-1>', creationTimestamp: '<now>' },
      spec: { renewTime: '2024-01-01T00:00:00.000000Z' },
    });
  });

  it('get equal marks if they are equal, including within texts', () => {
    const marks = normalizer();
    marks.body({ metadata: { resourceVersion: '4711' } });
    marks.body({ metadata: { resourceVersion: '4712' } });
    expect(marks.text(`ResourceVersion in record (4712), {"resourceVersion":"4711"}, of ${UID}, RFC 4711`)).toBe(
      'ResourceVersion in record (<rv-2>), {"resourceVersion":"<rv-1>"}, of <uid-1>, RFC 4711',
    );
    expect(marks.text('"2024-01-02T03:04:05Zkdt9j" is invalid')).toBe('"2024-01-02T03:04:05Z<generated>" is invalid');
    expect(marks.text('no kind "4711" is registered for version "v1"')).toBe('no kind "<rv-1>" is registered for version "v1"');
    expect(marks.text('Too large resource version: 99, current: 4712')).toBe('Too large resource version: 99, current: <list-rv>');
    expect(marks.text("invalid character 'k' looking for beginning of value (6b387300 ...)")).toBe(
      "invalid character 'k' looking for beginning of value (<body>)",
    );
    expect(marks.text('cbor: cannot unmarshal map into Go struct field v1.TypeMeta.kind of type string (d9d9f7a3646b696e ...)')).toBe(
      'cbor: cannot unmarshal map into Go struct field v1.TypeMeta.kind of type string (<body>)',
    );
  });

  it('are ignored in lists and bookmarks', () => {
    const list = { metadata: { resourceVersion: '99', continue: 'abc' }, items: [{ metadata: { resourceVersion: '98' } }] };
    expect(normalizer().body(list)).toEqual({
      metadata: { resourceVersion: '<list-rv>', continue: '<continue>' },
      items: [{ metadata: { resourceVersion: '<rv-1>' } }],
    });
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '99' } } };
    expect(normalizer().body({ events: [bookmark] })).toEqual({
      events: [{ type: 'BOOKMARK', object: { metadata: { resourceVersion: '<list-rv>' } } }],
    });
    const row = (resourceVersion: string) => ({ kind: 'Table', rows: [{ object: { metadata: { resourceVersion } } }] });
    expect(normalizer().body({ events: [{ type: 'BOOKMARK', object: row('99') }] })).toEqual({
      events: [{ type: 'BOOKMARK', object: row('<list-rv>') }],
    });
  });

  it('are kept if the client has sent them', () => {
    expect(normalizer().body({ metadata: { uid: 'mine', resourceVersion: 'abc' } })).toEqual({
      metadata: { uid: 'mine', resourceVersion: 'abc' },
    });
  });
});

describe('the comparison of responses', () => {
  it('reports differing values by their paths', () => {
    const [upstream, ours] = [answer({ items: [{ a: 1 }], b: null }), answer({ items: [{ a: 2 }] })];
    expect(compareAnswers(upstream, ours)).toEqual([
      { path: 'body.items[0].a', upstream: 1, ours: 2 },
      { path: 'body.b', upstream: null, ours: undefined },
    ]);
  });

  it('reports a different order of keys, except in CBOR', () => {
    const [a, b] = [{ x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }];
    expect(compareAnswers(answer(a), answer(b)).map(({ path }) => path)).toEqual([`body.x ${ORDER}`]);
    expect(compareAnswers(answer(a, 'application/cbor'), answer(b, 'application/cbor'))).toEqual([]);
  });
});

describe('reading a response', () => {
  const question = { method: 'GET', path: '/api/v1/things', query: [], headers: {}, identity: 'admin' } as const;
  const raw = (body: object) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    open: false,
  });

  it('records objects and tokens for later questions', () => {
    const known = new KnownValues('ns');
    const metadata = { name: 'a', uid: UID, resourceVersion: '47' };
    readAnswer({ ...question, path: '/api/v1/things/a/status' }, raw({ metadata }), known);
    readAnswer(question, raw({ metadata: { continue: 'next' }, items: [] }), known);
    expect(known.fill('{{rv:/api/v1/things/a}} {{uid:/api/v1/things/a}} {{continue}} {{rv:/api/v1/things/b}}')).toBe(`47 ${UID} next 47`);
  });

  it('are decompressed, even where a stream was cut off', () => {
    const members = [gzipSync('{"type":"BOOKMARK"}\n'), gzipSync('{"type":"ADDED"}\n', { finishFlush: constants.Z_SYNC_FLUSH })];
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const asked = { method: 'GET', path: '/x/namespaces/{{ns}}/y', query: [], headers: {}, identity: 'admin' } as const;
    const { body } = readAnswer(asked, { status: 200, headers, body: Buffer.concat(members), open: true }, new KnownValues('ns'));
    expect(body).toEqual({ events: [{ type: 'BOOKMARK' }, { type: 'ADDED' }] });
  });

  it('removes foreign objects from lists of everything', () => {
    const items = [{ metadata: { name: 'a', namespace: 'ns' } }, { metadata: { name: 'a', namespace: 'other' } }];
    const list = { metadata: { remainingItemCount: 3 }, items };
    expect(readAnswer(question, raw(list), new KnownValues('ns')).body).toEqual({ metadata: {}, items: [items[0]] });
  });
});
