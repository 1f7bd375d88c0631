import type { Strategy } from '../../../registry/resource/strategy.js';
import type { Event } from './event.js';
import { validateEvent } from './event.validation.js';

/** The strategy of core/v1 events, with few rules for the sake of old clients (kubernetes pkg/registry/core/event). */
export const eventStrategy: Strategy<Event> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  withoutGarbageCollection: true,
  prepareForCreate() {},
  prepareForUpdate() {},
  validate: (next) => validateEvent(next, 'reportingComponent'),
  validateUpdate: (next) => validateEvent(next, 'reportingComponent'),
};
