import type { FieldError } from '../errors/field-error.js';
import { checkFieldManagerName } from './field-manager-name.js';

function errorsOf(name: string): FieldError[] {
  const errors: FieldError[] = [];
  checkFieldManagerName(name, 'fieldManager', errors);
  return errors;
}

describe('the name of a field manager', () => {
  it('is reported with each character that cannot be printed', () => {
    expect(errorsOf('é\u0001b\u0002').map(({ body }) => body.replace(/.*: /, ''))).toEqual([
      'invalid character U+0001 (at position 2)',
      'invalid character U+0002 (at position 4)',
    ]);
  });

  it('is looked at up to a limit if it is too long', () => {
    expect(errorsOf('\u0001'.repeat(290_000))).toHaveLength(1 + 4096);
  });
});
