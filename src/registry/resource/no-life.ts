import type { Strategy } from './strategy.js';

/** For objects that no client writes: no verb calls any of these hooks. */
export const NO_LIFE: Omit<Strategy, 'markedForDeletion'> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  prepareForCreate: () => undefined,
  prepareForUpdate: () => undefined,
  validate: () => [],
  validateUpdate: () => [],
};
