import { printable, printableJson, printableLines } from './printable.js';

test.each([
  ['worker-1_2f6c', 'worker-1_2f6c'],
  ['größer 漢字 🙂', 'größer 漢字 🙂'],
  ['x\u001b[31mred', 'x\\u{1b}[31mred'],
  ['a\nb\r\tc\u0000\u007f\u009b', 'a\\u{a}b\\u{d}\\u{9}c\\u{0}\\u{7f}\\u{9b}'],
  ['\u202egnp.exe\u2066\u200b\u2028', '\\u{202e}gnp.exe\\u{2066}\\u{200b}\\u{2028}'],
  ['\u{e0041}', '\\u{e0041}'],
  ['👩‍💻 👩🏽‍🚀 🏳️‍🌈', '👩‍💻 👩🏽‍🚀 🏳️‍🌈'],
  ['a\u200db \u200d🙂 🙂\u200d 🙂\u200d\u202e', 'a\\u{200d}b \\u{200d}🙂 🙂\\u{200d} 🙂\\u{200d}\\u{202e}'],
])('%j is printed as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test('lines stay lines, and nothing else does', () => {
  expect(printableLines('Error: a\r\u001b[2K\n    at b')).toBe('Error: a\\u{d}\\u{1b}[2K\n    at b');
});

test('JSON means the same afterwards', () => {
  const value = { holder: 'x\u001b\u009b\u202e\u2028\u{e0041}\u007f ü 漢 🙂' };
  const json = printableJson(`${JSON.stringify(value, null, 2)}\n`);
  expect(JSON.parse(json)).toEqual(value);
  expect(json).toBe('{\n  "holder": "x\\u001b\\u009b\\u202e\\u2028\\udb40\\udc41\\u007f ü 漢 🙂"\n}\n');
});
