import { StartProgress } from './start-progress.js';

test('on a terminal the current step of the start is shown, and removed at the end', () => {
  let drawn = '';
  const progress = new StartProgress(true, (text) => (drawn += text));
  expect(drawn).toBe('\rstarting ... 0 s\u001b[K');
  progress.report('opening the database');
  expect(drawn).toContain('\ropening the database ... 0 s\u001b[K');
  progress.end();
  progress.report('serving');
  expect(drawn.endsWith('\r\u001b[K')).toBe(true);
});

test('without a terminal nothing is shown', () => {
  let drawn = '';
  const progress = new StartProgress(false, (text) => (drawn += text));
  progress.report('opening the database');
  progress.end();
  expect(drawn).toBe('');
});
