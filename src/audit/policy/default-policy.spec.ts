import { readFileSync } from 'node:fs';
import { DEFAULT_POLICY_TEXT } from './default-policy.js';

test('the documentation shows the default policy', () => {
  const documentation = readFileSync(new URL('../../../docs/audit.md', import.meta.url), 'utf8');
  expect(/```yaml\n([^`]*)```/.exec(documentation)?.[1]).toBe(DEFAULT_POLICY_TEXT);
});
