import { RAW_CASES } from '../../http1/cases.js';
import { sendRaw } from '../../http1/raw-answer.js';
import { forAllTests } from '../../support/for-tests.js';
import { startTestServer } from '../../support/test-server.js';

const server = forAllTests(() => startTestServer({ settings: { anonymousAuth: false } }));

async function outcome(name: string): Promise<string> {
  const found = RAW_CASES.find((each) => each.name === name);
  if (!found) throw new Error(`no case ${name}`);
  const bytes = found.parts.map((part) => String(part).replaceAll('TOKEN', 'admin-token'));
  const { responses, closed } = await sendRaw(server.url, bytes);
  return [...responses.map((line) => line.split(' ')[1]), closed ? 'closed' : 'open'].join(' ');
}

test.each([
  ['no token', '401 closed'],
  ['a wrong token', '401 closed'],
  ['an unknown path', '404 closed'],
  ['an unknown resource', '404 closed'],
  ['a wrong method', '405 closed'],
  ['a wrong media type', '415 closed'],
  ['an impossible Accept', '406 closed'],
  ['the next request after a refusal', '401 closed'],
])('a body is not asked for when the request is refused: %s', async (name, expected) => {
  expect(await outcome(`expect: ${name}`)).toBe(expected);
});

test.each([
  ['a body that is read', '100 201 open'],
  ['the body comes at once', '100 201 open'],
  ['a chunked body', '100 201 open'],
  ['bad options', '100 422 open'],
  ['a PATCH of nothing', '100 404 open'],
  ['something else', '417 closed'],
])('a body is asked for once it is read: %s', async (name, expected) => {
  expect(await outcome(`expect: ${name}`)).toBe(expected);
});

test.each([
  ['request line: OPTIONS with an asterisk', '200 open'],
  ['request line: a bad escape', '400 closed'],
  ['request line: HTTP/2.0', '505 closed'],
  ['host: none', '400 closed'],
  ['host: with a space', '400 closed'],
  ['header: a value of 1.2 MiB', '431 closed'],
  ['length: beyond 2^63', '400 closed'],
  ['coding: a list', '501 closed'],
])('a request that Go refuses is refused: %s', async (name, expected) => {
  expect(await outcome(name)).toBe(expected);
});
