import { getMetadataStorage } from 'class-validator';
import type { SettingDescription } from './setting.js';

/** The values that a setting, or each item of a list, may have, as its validation has them; none where there is no list of them. */
export function allowedValues({ layer, property, kind }: SettingDescription): readonly string[] {
  if (kind === 'boolean') return ['true', 'false'];
  const rules = getMetadataStorage().getTargetValidationMetadatas(layer, '', false, false);
  const constraints: unknown[] = rules.find((rule) => rule.propertyName === property && rule.name === 'isIn')?.constraints ?? [];
  const [values] = constraints;
  return Array.isArray(values) ? values.map(String) : [];
}
