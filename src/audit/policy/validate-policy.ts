import { type FieldError, invalid, notSupported, required } from '../../apimachinery/errors/field-error.js';
import { validateDnsSubdomain } from '../../apimachinery/validation/names.js';
import { type AuditLevel, type AuditStage, AUDIT_LEVELS, AUDIT_STAGES } from '../event/audit-event.js';
import type { AuditPolicy, GroupResources, PolicyRule } from './audit-policy.js';

/** Returns the errors in a policy (apiserver pkg/apis/audit/validation). */
export function validatePolicy({ rules, omitStages }: AuditPolicy): FieldError[] {
  return [...validateStages(omitStages, 'omitStages'), ...rules.flatMap((rule, at) => validateRule(rule, `rules[${at}]`))];
}

function validateRule(rule: PolicyRule, path: string): FieldError[] {
  const errors = [
    ...validateLevel(rule.level, `${path}.level`),
    ...rule.nonResourceURLs.flatMap((url, at) => validatePath(url, `${path}.nonResourceURLs[${at}]`)),
    ...rule.resources.flatMap((each) => validateResources(each, `${path}.resources`)),
    ...validateStages(rule.omitStages, `${path}.omitStages`),
  ];
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(invalid(`${path}.nonResourceURLs`, rule.nonResourceURLs, detail));
  }
  return errors;
}

function validateLevel(level: string, path: string): FieldError[] {
  if (level === '') return [required(path)];
  return AUDIT_LEVELS.includes(level as AuditLevel) ? [] : [notSupported(path, level, AUDIT_LEVELS)];
}

function validatePath(url: string, path: string): FieldError[] {
  if (url === '*') return [];
  const errors: FieldError[] = [];
  if (!url.startsWith('/')) errors.push(invalid(path, url, "non-resource URL rules must begin with a '/' character"));
  if (url.slice(0, -1).includes('*')) {
    errors.push(invalid(path, url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  return errors;
}

function validateResources({ group, resources, resourceNames }: GroupResources, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const messages = group === '' || group === '*' ? [] : validateDnsSubdomain(group);
  if (messages.length > 0) errors.push(invalid(`${path}.group`, group, messages.join(',')));
  if (resourceNames.length > 0 && resources.length === 0) {
    errors.push(invalid(`${path}.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'));
  }
  return errors;
}

function validateStages(stages: readonly string[], path: string): FieldError[] {
  const detail = `allowed stages are ${AUDIT_STAGES.join(',')}`;
  return stages.flatMap((stage, at) => (AUDIT_STAGES.includes(stage as AuditStage) ? [] : [invalid(`${path}[${at}]`, stage, detail)]));
}
