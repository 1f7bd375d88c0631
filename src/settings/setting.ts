import { IsIn, Matches, Max, Min } from 'class-validator';
import { parseGoDuration } from '../apimachinery/go/go-duration.js';

/** How the text of a setting is parsed, and the placeholder for its value in `--help` unless it has its own. */
const PLACEHOLDERS = { text: 'file', integer: 'count', number: 'number', boolean: 'bool', duration: 'duration', list: 'names' };
export type SettingKind = keyof typeof PLACEHOLDERS;

/** Headings of `serve --help`, in order. */
export const SETTING_GROUPS = [
  'Serving',
  'Database and storage',
  'TLS',
  'Limits',
  'Authentication',
  'Authorization and admission',
  'Audit',
  'Logs and traces',
] as const;
type SettingGroup = (typeof SETTING_GROUPS)[number];

export interface SettingOptions {
  readonly kind: SettingKind;
  /** If not that of its class. */
  readonly group?: SettingGroup;
  /** One sentence for `--help` and docs/configuration.md. */
  readonly help: string;
  readonly placeholder?: string;
  /** The only values of a text, or of the items of a list. */
  readonly values?: readonly string[];
  /** What a text, or each item of a list, matches. */
  readonly pattern?: RegExp;
  /** Limits on a number, both included; of a duration in milliseconds. */
  readonly min?: number;
  readonly max?: number;
  /** Says what a value must be; needed with a pattern. */
  readonly message?: string;
  /** Whether an empty value is one of its own. Elsewhere it is refused: the variable of a script may merely be unset. */
  readonly mayBeEmpty?: boolean;
  /** Another environment variable, known from other programs, that sets it too. */
  readonly alsoEnvironment?: string;
}

export interface SettingDescription extends SettingOptions {
  readonly placeholder: string;
  readonly group: SettingGroup;
  /** The class that declares it. */
  readonly layer: SettingsClass;
  /** The property of the settings class. */
  readonly property: string;
  /** `secure-port`: flag and key of the configuration file. */
  readonly name: string;
  /** Such as `COORDINATION_APISERVER_SECURE_PORT`. */
  readonly environment: string;
}

export const ENVIRONMENT_PREFIX = 'COORDINATION_APISERVER_';

/**
 * The settings of one layer. An instance holds the defaults, and each property with `@Setting` can be set under its own name. It must not
 * have other properties, since values are copied from it.
 */
export interface SettingsClass<T extends object = object> {
  new (): T;
  /** Of its settings. */
  readonly group: SettingGroup;
  /** Why values that are valid one by one conflict, in one line; undefined if they do not. */
  conflict?(settings: T): string | undefined;
}

const descriptions = new Map<SettingsClass, SettingDescription[]>();

/**
 * Makes a property of a settings class a flag, an environment variable and a key of the configuration file. Rules that its options cannot
 * express are further decorators of class-validator.
 */
export function Setting(options: SettingOptions): PropertyDecorator {
  return (target, key) => {
    const property = String(key);
    const name = property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const layer = target.constructor as SettingsClass;
    const described = {
      placeholder: PLACEHOLDERS[options.kind],
      group: layer.group,
      ...options,
      layer,
      property,
      name,
      environment: ENVIRONMENT_PREFIX + name.replaceAll('-', '_').toUpperCase(),
    };
    descriptions.set(layer, [...settingsOf(layer), described]);
    checkValues(options, target, key);
  };
}

function checkValues(options: SettingOptions, ...property: Parameters<PropertyDecorator>): void {
  const { kind, values, pattern, min, max, message = defaultMessage(options) } = options;
  const rule = { each: kind === 'list', message };
  if (values) IsIn(values, rule)(...property);
  if (pattern) Matches(pattern, rule)(...property);
  if (min !== undefined) Min(min, rule)(...property);
  if (max !== undefined) Max(max, rule)(...property);
}

function defaultMessage({ kind, values, min, max }: SettingOptions): string {
  if (values) return `must be ${kind === 'list' ? 'among' : 'one of'} ${values.join(', ')}`;
  if (max !== undefined) return `must be between ${min} and ${max}`;
  return min === 0 ? 'must not be negative' : `must be at least ${min}`;
}

/** The settings of a class, in its order. */
export function settingsOf(settings: SettingsClass): readonly SettingDescription[] {
  return descriptions.get(settings) ?? [];
}

/** The values allowed for a setting, or for each item of a list; empty if they are not enumerated. */
export function allowedValues({ kind, values = [] }: SettingDescription): readonly string[] {
  return kind === 'boolean' ? ['true', 'false'] : values;
}

/** Whether nothing is given: a text of spaces at most, or a list of such. */
export function isBlank(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isBlank) : typeof value === 'string' && value.trim() === '';
}

/** The refusal of a blank value; `origin` names the flag, variable, key or argument as its author wrote it. */
export function blankValue(origin: string): string {
  return `invalid value "" for ${origin}: must not be empty (leave it out for the default)`;
}

/** Parses the text of a flag or variable, or a YAML scalar or list; undefined if it is not of the kind. */
export function readSetting(kind: SettingKind, raw: unknown): unknown {
  if (kind === 'list') return readList(raw);
  if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') return undefined;
  const text = String(raw);
  switch (kind) {
    case 'text':
      return text;
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'number':
      return /^[\d.]{1,20}$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return readBoolean(text);
    case 'duration':
      return readDuration(text);
  }
}

/** As Go's flags, and whole days. */
function readDuration(text: string): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return Number(days) * DAY_MS;
  const ms = parseGoDuration(text);
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

/** Accepts the spellings of Go's strconv.ParseBool, as kube-apiserver's flags do. */
function readBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

const DAY_MS = 24 * 3_600_000;

function readList(raw: unknown): string[] | undefined {
  if (typeof raw === 'string') return raw.split(',').filter((item) => !isBlank(item));
  return Array.isArray(raw) && raw.every((item) => typeof item === 'string' && !isBlank(item)) ? raw : undefined;
}
