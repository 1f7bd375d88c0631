import type { Step } from './recording.js';
import type { Variables } from './variables.js';
import { fill, fillDeep } from './variables.js';

/** The bytes that a step sends, and the Content-Type they have unless the step names one. */
export function encodeBody(step: Step, variables: Variables): { bytes: Buffer; contentType?: string } | undefined {
  if (step.bodyBase64 !== undefined) return { bytes: Buffer.from(step.bodyBase64, 'base64') };
  if (step.body === undefined) return undefined;
  if (step.encode !== undefined) throw new Error(`bodies in ${step.encode} are not supported yet`);
  let text = typeof step.body === 'string' ? fill(step.body, variables) : JSON.stringify(fillDeep(step.body, variables));
  if (step.repeat) text = text.replace('@@REPEAT@@', step.repeat.text.repeat(step.repeat.times));
  return { bytes: Buffer.from(text), contentType: 'application/json' };
}
