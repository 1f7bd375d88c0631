import { progressLine } from './progress.js';

test('a bar shows the completed part; without a known total there is a count', () => {
  expect(progressLine('verify', 500, 1000)).toBe(`verify [${'#'.repeat(15)}${' '.repeat(15)}] 50 % 500/1000`);
  expect(progressLine('import', 1200, 1000)).toContain('100 % 1200/1000');
  expect(progressLine('import', 7, 0)).toBe('import 7');
});
