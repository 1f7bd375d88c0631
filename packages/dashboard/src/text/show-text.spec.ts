import { expect, test } from '@jest/globals';
import { kubectlLines, shellWord } from './kubectl-lines.js';
import { asSentence, showCount, showText } from './show-text.js';
import { showDuration, showRate } from './show-time.js';

test.each([
  ['pod-1_a3', 'pod-1_a3'],
  ['Größe 漢字 🎉', 'Größe 漢字 🎉'],
  ['admin\u202egnp.exe', 'admin\\u{202e}gnp.exe'],
  ['a\u200bb\n\t', 'a\\u{200b}b\\u{a}\\u{9}'],
  ['👩‍💻 🏳️‍🌈 ❤️', '👩‍💻 🏳️‍🌈 ❤️'],
  ['a\u200db\ufe0f', 'a\\u{200d}b\\u{fe0f}'],
  [7, '7'],
])('%j is shown as %s', (text, shown) => {
  expect(showText(text)).toBe(shown);
});

test('the middle of a long text is left out, so that names with the same beginning differ', () => {
  expect(showText(`${'x'.repeat(1_000_000)}-a`, 10)).toBe('xxxxx…xx-a');
  expect(showText(`${'🎉'.repeat(20)}`, 10)).toBe('🎉🎉…🎉🎉');
  const name = `${'a'.repeat(252)}b`;
  expect(showText(name)).toBe(name);
});

test('names are quoted for the shell', () => {
  expect(shellWord("a'; rm -rf ~ #")).toBe(`'a'\\''; rm -rf ~ #'`);
  expect(kubectlLines({ namespace: 'default', name: 'a$(id)' })[0]?.line).toContain(`kubectl get lease 'a$(id)' -n default`);
});

test.each([
  [0, '0.0 s'],
  [9_900, '9.9 s'],
  [59_999, '59 s'],
  [200_000, '3 m 20 s'],
  [7_200_000, '2 h'],
  [187_200_000, '2 d 4 h'],
])('%i ms are shown as %s', (ms, shown) => {
  expect(showDuration(ms)).toBe(shown);
});

test('rates', () => {
  expect([undefined, 0, 0.5, 4.21, 980.4, 12_400].map(showRate)).toEqual(['–', '0', '0.50', '4.2', '980', '12,400']);
});

test('counts', () => {
  expect([0, 1, 10_000].map((count) => showCount(count, 'lease'))).toEqual(['0 leases', '1 lease', '10,000 leases']);
});

test.each([
  ['cannot reach https://a: connect ECONNREFUSED 127.0.0.1:7443', 'Cannot reach https://a: connect ECONNREFUSED 127.0.0.1:7443.'],
  ['The server is starting.', 'The server is starting.'],
  ['leases.coordination.k8s.io is forbidden', 'leases.coordination.k8s.io is forbidden.'],
  ['', ''],
])('%s becomes a sentence', (message, sentence) => {
  expect(asSentence(message)).toBe(sentence);
});
