import { Normalizer } from '../answers/normalize.js';
import { withoutStrangers } from '../answers/read-answer.js';
import type { KnownValues } from '../known-values.js';
import type { Plain, Question } from '../question.js';
import type { LoggedEvent } from './audit-log.js';

/** Annotations that say how long something took. */
const LATENCY = 'apiserver.latency.k8s.io/';

/** The events of a request, by stage, without times and with values that necessarily differ replaced as in answers. */
export function comparableEvents(question: Question, events: readonly LoggedEvent[], known: KnownValues): Plain {
  return Object.fromEntries(events.map((event) => [event.stage, comparableEvent(question, event, known)]));
}

function comparableEvent(question: Question, event: LoggedEvent, known: KnownValues): Plain {
  const { requestObject, responseObject, annotations, ...rest } = event;
  for (const member of ['auditID', 'requestReceivedTimestamp', 'stageTimestamp']) delete rest[member];
  const normalizer = new Normalizer(known, Date.now);
  const kept = Object.entries((annotations ?? {}) as Plain).filter(([name]) => !name.startsWith(LATENCY));
  return {
    ...(normalizer.body(rest) as Plain),
    annotations: normalizer.body(Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)))),
    requestObject: normalizer.body(requestObject),
    responseObject: normalizer.body(withoutStrangers(question, responseObject, known)),
  };
}
