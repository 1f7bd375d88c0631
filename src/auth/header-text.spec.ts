import { describe, expect, it } from '@jest/globals';
import { headerText } from './header-text.js';

const asNodeReads = (text: string) => Buffer.from(text).toString('latin1');

describe('headerText', () => {
  it('decodes UTF-8, and replaces other bytes', () => {
    expect(headerText(asNodeReads('agent é/1'))).toBe('agent é/1');
    expect(headerText('agent \xe9/1')).toBe('agent \ufffd/1');
    expect(headerText('agent/1')).toBe('agent/1');
  });
});
