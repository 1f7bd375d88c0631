import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import type { Strategy } from '../../../registry/strategy.js';
import type { Event } from '../../core/event/event.js';
import { eventStrategy } from '../../core/event/event.strategy.js';
import { validateEvent } from '../../core/event/event.validation.js';
import { validateEventsEventChange, validateNewEventsEvent } from './events-event.validation.js';

/** The life of events as events.k8s.io/v1 has it: the rules of core/v1, and stricter ones. */
export const eventsEventStrategy: Strategy<Event> = {
  ...eventStrategy,
  validateName: nameIsDnsSubdomain,
  validate: (next) => [...validateEvent(next, 'reportingController'), ...validateNewEventsEvent(next)],
  validateUpdate: (next, old) => [...validateEvent(next, 'reportingController'), ...validateEventsEventChange(next, old)],
};
