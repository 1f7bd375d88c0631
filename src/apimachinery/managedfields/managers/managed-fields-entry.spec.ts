import { managerName } from './managed-fields-entry.js';

describe('the name of a manager', () => {
  it('has what can be printed of the user agent', () => {
    expect(managerName('', 'kub\u0080ectl/v1')).toBe('kubectl');
    expect(managerName('', '\u0080/v1')).toBe('unknown');
  });

  it('is looked for at the beginning of a long user agent', () => {
    expect(managerName('', `${'\u0080'.repeat(900_000)}a`)).toBe('unknown');
  });
});
