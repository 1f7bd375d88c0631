import { expect, it } from '@jest/globals';
import { helpText } from './help-text.js';

const help = (width: number) => helpText({ name: 'lease-lock' }, width).split('\n');

it.each([60, 80, 120])('the help fits into %d columns', (width) => {
  expect(help(width).filter((line) => line.length > width)).toEqual([]);
});

it('the help of a wide terminal has an option on each line', () => {
  expect(help(200).filter((line) => /^ {2,}[^ -]/.test(line) && !/^ {2}(\d|lease-lock )/.test(line))).toEqual([]);
});

it('the help names the kubeconfig of the data directory in its place', () => {
  const text = helpText({ name: 'apiserver', own: { file: '.data/admin.kubeconfig', isNamed: false } }, 300);
  expect(text).toContain("by default $KUBECONFIG, .data/admin.kubeconfig, ~/.kube/config or the pod's service account):");
});
