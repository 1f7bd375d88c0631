import { getMetadataStorage } from 'class-validator';
import type { SettingDescription } from './setting.js';

/** The values allowed for a setting, or for each item of a list, taken from its validation; empty if they are not enumerated. */
export function allowedValues({ layer, property, kind }: SettingDescription): readonly string[] {
  if (kind === 'boolean') return ['true', 'false'];
  const rules = getMetadataStorage().getTargetValidationMetadatas(layer, '', false, false);
  const constraints: unknown[] = rules.find((rule) => rule.propertyName === property && rule.name === 'isIn')?.constraints ?? [];
  const [values] = constraints;
  return Array.isArray(values) ? values.map(String) : [];
}
