import { validateSync } from 'class-validator';
import { badRequest } from '../../apimachinery/errors/status-errors.js';
import { parseGoDuration } from '../../apimachinery/go/go-duration.js';
import type { TestDuration } from '../test-server.js';

/** The value of an order as an instance of its class. Throws a 400 that names what is wrong. */
export function checked<T extends object>(type: new () => T, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest('the body must be a JSON object');
  const instance = Object.assign(new type(), value);
  const [wrong] = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (wrong) throw badRequest(Object.values(wrong.constraints ?? {}).join(', '));
  return instance;
}

/** In milliseconds. Throws a 400 that names the field. */
export function durationOf(field: string, value: TestDuration, maxMs: number): number {
  if (typeof value !== 'number' && typeof value !== 'string') throw badRequest(`${field} must be a duration such as 20s, or milliseconds`);
  const ms = typeof value === 'number' ? value : parseGoDuration(value);
  if (typeof ms !== 'number') throw badRequest(`${field}: ${ms.error}`);
  if (!(ms >= 0 && ms <= maxMs)) throw badRequest(`${field} must be from 0 to ${maxMs / 1000}s`);
  return ms;
}
