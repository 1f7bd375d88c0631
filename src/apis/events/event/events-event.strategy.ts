import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-validator.js';
import type { Strategy } from '../../../registry/resource/strategy.js';
import { validateCoreMetadata, validateFinalizers } from '../../core/core-metadata.validation.js';
import type { Event } from '../../core/event/event.js';
import { eventStrategy } from '../../core/event/event.strategy.js';
import { validateEvent } from '../../core/event/event.validation.js';
import { validateEventsEventChange, validateNewEventsEvent } from './events-event.validation.js';

/** The strategy of events.k8s.io/v1 events: the rules of core/v1 and stricter ones. */
export const eventsEventStrategy: Strategy<Event> = {
  ...eventStrategy,
  validate: (next) => [
    ...validateEvent(next, 'reportingController'),
    ...validateCoreMetadata(next.metadata, { namespaced: true, validateName: nameIsDnsSubdomain }),
    ...validateNewEventsEvent(next),
  ],
  validateUpdate: (next, old) => [
    ...validateEvent(next, 'reportingController'),
    ...validateFinalizers(next.metadata),
    ...validateEventsEventChange(next, old),
  ],
};
