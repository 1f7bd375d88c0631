import { expect, test } from '@jest/globals';
import { runPlan } from './run-plan.js';

const file = (project: string, seconds: number, source = '') => ({ project, seconds, source });
const all = () => undefined;

test('the plan says how many files run, and how long that takes', () => {
  const files = [file('unit', 1), file('e2e', 30), file('unit', 1)];
  expect(runPlan(files, 2, all)).toBe('3 test files (unit 2, e2e 1), 2 at a time: about 30 s.');
  expect(runPlan([file('unit', 0.2)], 4, all)).toBe('1 test file (unit 1), 1 at a time: about 1 s.');
});

test('the plan of a long run names the shorter and the longer one', () => {
  expect(runPlan([file('e2e', 400), file('e2e', 400)], 2, all)).toMatch(
    /about 7 min\. Shorter: npm run test:quick\. .*test:clients:heavy\.$/,
  );
});

test('the plan says which suites are skipped, and which program is missing', () => {
  const files = [
    file('clients', 1, "describeWith([GO], 'a', () => {\n"),
    file('clients', 1, "describeWith([GO, KUBECTL], 'b', () => {\n  describeWithKubectls([KUBECTL], 'c', () => {\n"),
    file('clients', 1, "describeWith([KUBECTL_WITH_EVENTS, PYTHON], 'd', () => {\n"),
  ];
  const whyNot = ({ program, atLeast }: { program: string; atLeast: string }) => {
    if (program === 'go') return 'go is not installed';
    return program === 'kubectl' && atLeast === '1.27' ? 'kubectl 1.20 is older than 1.27' : undefined;
  };
  expect(runPlan(files, 1, whyNot)).toContain('Skipped: 2 suites (go is not installed), 1 suite (kubectl 1.20 is older than 1.27).');
});
