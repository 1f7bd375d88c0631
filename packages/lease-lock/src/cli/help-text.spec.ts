import { expect, it } from '@jest/globals';
import { helpText } from './help-text.js';

const help = (width: number) => helpText({ name: 'lease-lock' }, width).split('\n');

it.each([60, 80, 120])('the help fits into %d columns', (width) => {
  expect(help(width).filter((line) => line.length > width)).toEqual([]);
});

it('the help of a wide terminal has an option on each line', () => {
  expect(help(200).filter((line) => /^ {2,}[^ -]/.test(line) && !/^ {2}(\d|lease-lock )/.test(line))).toEqual([]);
});

it('the help names a kubeconfig that is used in the absence of others', () => {
  const text = helpText({ name: 'apiserver', fallbackKubeconfig: '.data/admin.kubeconfig' }, 300);
  expect(text).toContain("or the pod's service account, else .data/admin.kubeconfig):");
});
