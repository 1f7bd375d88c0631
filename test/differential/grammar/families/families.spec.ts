import { Random } from '../../../fuzz/random.js';
import type { Question } from '../../question.js';
import { someFamily } from './families.js';

const asked = Array.from({ length: 200 }, (_, at) => someFamily(new Random(1, at), 16)).flat();
const has = (each: Question, text: string) => JSON.stringify(each).includes(text);

test.each<[string, (each: Question) => boolean]>([
  ['an apply by a third manager', (each) => has(each, '"m3"') && has(each, 'apply-patch')],
  ['a null key in an apply', (each) => has(each, '"name":null')],
  ['a watch that begins with a list of Tables', (each) => has(each, 'sendInitialEvents') && has(each, 'as=Table')],
  ['the deletion of the namespace', (each) => each.method === 'DELETE' && each.path === '/api/v1/namespaces/{{ns}}'],
  ['a role that a user without its rights creates', (each) => each.identity === 'editor' && has(each, '"resources":["*"]')],
  ['a selector in an access review', (each) => has(each, 'rawSelector')],
  ['an impersonation with constrained rights', (each) => each.identity === 'agent' && has(each, 'impersonate-user')],
  ['a version that was compacted', (each) => each.query.some(([name, value]) => name === 'resourceVersion' && value === '1')],
  ['a question over HTTP/2', ({ http2 }) => http2 === true],
])('families ask for %s', (_what, some) => {
  expect(asked.filter(some).length).toBeGreaterThan(5);
});

test('families are the same for the same seed', () => {
  expect(someFamily(new Random(3, 4), 16)).toEqual(someFamily(new Random(3, 4), 16));
});
