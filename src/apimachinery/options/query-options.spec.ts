import { describe, expect, it } from '@jest/globals';
import { managerName } from '../managedfields/managers/managed-fields-entry.js';
import { deleteOptionsFromBody, parseDeleteOptions, refuseUnsafeCollection } from './delete-options.js';
import { parseListOptions } from './list-options.js';
import {
  type QueryParameters,
  booleanOption,
  integerOption,
  optional,
  optionsReader,
  parseGetOptions,
  stringOption,
  stringsOption,
} from './query-options.js';
import { parseCreateOptions, parsePatchOptions, parseUpdateOptions } from './write-options.js';

function query(text: string): QueryParameters {
  const parameters = new URLSearchParams(text);
  return { isEmpty: text === '', all: (name) => parameters.getAll(name) };
}

const refusal = (parse: () => unknown): { code: number; message: string } => {
  try {
    parse();
  } catch (error) {
    return { code: (error as { code: number }).code, message: (error as Error).message };
  }
  throw new Error('it was accepted');
};

describe('the parser of an options table', () => {
  const read = optionsReader({
    name: stringOption(),
    names: stringsOption(),
    limit: integerOption(),
    maximum: optional(integerOption()),
    follow: booleanOption(),
    force: optional(booleanOption()),
  });

  it('uses the zero value for absent options, or undefined if they are optional', () => {
    const absent = { name: '', names: [], limit: 0, maximum: undefined, follow: false, force: undefined };
    for (const text of ['', 'other=1']) expect(read(query(text))).toStrictEqual(absent);
    expect(read(query('name=a'))).toStrictEqual({ ...absent, name: 'a' });
  });

  it('reads present options, including empty ones, and all values of lists', () => {
    expect(read(query('force=&follow=0&maximum=-3&limit=7&names=a&names=&name=x&name=y'))).toStrictEqual({
      name: 'x',
      names: ['a', ''],
      limit: 7,
      maximum: -3,
      follow: false,
      force: true,
    });
  });

  it('keeps no values from an earlier query', () => {
    expect(read(query('name=a&names=b'))).toMatchObject({ name: 'a', names: ['b'] });
    expect(read(query('limit=1'))).toMatchObject({ name: '', names: [], limit: 1 });
  });

  it('refuses the first unreadable value in the order of the table', () => {
    expect(refusal(() => read(query('maximum=b&limit=a'))).message).toBe('strconv.ParseInt: parsing "a": invalid syntax');
  });
});

describe('write options', () => {
  it('report unknown fields as warnings by default', () => {
    expect(parseCreateOptions(query(''))).toEqual({ dryRun: false, fieldManager: '', fieldValidation: 'Warn' });
    expect(parseUpdateOptions(query('fieldValidation='))).toMatchObject({ fieldValidation: 'Warn' });
    expect(parseUpdateOptions(query('fieldValidation=Strict&fieldManager=me&dryRun=All&dryRun=All'))).toEqual({
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
    });
  });

  it('use the first of repeated parameters, but all values of dryRun', () => {
    expect(parseCreateOptions(query('fieldManager=a&fieldManager=b')).fieldManager).toBe('a');
    expect(refusal(() => parseCreateOptions(query('dryRun=All&dryRun=x')))).toEqual({
      code: 422,
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["All","x"]: supported values: "All"',
    });
    expect(refusal(() => parseCreateOptions(query('dryRun='))).message).toContain('Unsupported value: [""]');
  });

  it('are validated in this order: fieldManager, dryRun, fieldValidation', () => {
    const { message } = refusal(() => parseUpdateOptions(query(`fieldValidation=Nope&dryRun=Nope&fieldManager=${'x'.repeat(128)}%00`)));
    expect(message).toBe(
      `UpdateOptions.meta.k8s.io "" is invalid: [fieldManager: Too long: may not be more than 128 bytes, fieldManager: Invalid value: "${'x'.repeat(128)}\\x00": invalid character U+0000 (at position 128), dryRun: Unsupported value: ["Nope"]: supported values: "All", fieldValidation: Unsupported value: "Nope": supported values: "", "Ignore", "Strict", "Warn"]`,
    );
  });

  it('require a fieldManager for apply, and forbid force for other patches', () => {
    expect(parsePatchOptions(query('fieldManager=a&force='), true)).toMatchObject({ force: true });
    expect(parsePatchOptions(query(''), false)).toMatchObject({ force: false, fieldValidation: 'Warn' });
    expect(refusal(() => parsePatchOptions(query(''), true)).message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
    expect(refusal(() => parsePatchOptions(query('force=false'), false)).message).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    );
  });
});

describe('delete options', () => {
  it('from the query ignore empty preconditions', () => {
    expect(parseDeleteOptions(query('gracePeriodSeconds=-1&orphanDependents=no&uid=u&resourceVersion='))).toEqual({
      dryRun: false,
      gracePeriodSeconds: -1,
      orphanDependents: true,
      uid: 'u',
    });
    expect(refusal(() => parseDeleteOptions(query('gracePeriodSeconds=x')))).toEqual({
      code: 400,
      message: 'strconv.ParseInt: parsing "x": invalid syntax',
    });
  });

  it('from a body include empty preconditions', () => {
    expect(deleteOptionsFromBody({ preconditions: { uid: '' }, propagationPolicy: 'Orphan' })).toMatchObject({
      uid: '',
      propagationPolicy: 'Orphan',
    });
  });

  it('accept only a known propagation policy, and not together with orphanDependents', () => {
    expect(refusal(() => deleteOptionsFromBody({ propagationPolicy: 'x', orphanDependents: false, dryRun: ['y'] })).message).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "x": orphanDependents and deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["y"]: supported values: "All"]',
    );
  });
});

describe('the option of an unsafe deletion', () => {
  const UNSAFE = 'ignoreStoreReadErrorWithClusterBreakingPotential';

  it('stands alone', () => {
    expect(parseDeleteOptions(query(`${UNSAFE}=true&uid=&dryRun=All`))).toMatchObject({ unsafe: true, dryRun: true });
    expect(deleteOptionsFromBody({ [UNSAFE]: false, gracePeriodSeconds: 1, preconditions: {} }).unsafe).toBeUndefined();
    const all = { propagationPolicy: 'Orphan', orphanDependents: true, gracePeriodSeconds: 0, preconditions: {} };
    const refused = (body: object) => refusal(() => deleteOptionsFromBody({ [UNSAFE]: true, ...body })).message;
    for (const [option, value] of Object.entries(all)) {
      expect(refused({ [option]: value })).toBe(
        `DeleteOptions.meta.k8s.io "" is invalid: ${UNSAFE}: Invalid value: true: cannot be set together with .${option}`,
      );
    }
    expect(refused({ ...all, dryRun: ['x'] }).match(/dryRun|cannot be set together with \.\w+/g)).toEqual([
      'dryRun',
      ...Object.keys(all).map((option) => `cannot be set together with .${option}`),
    ]);
  });

  it('is refused for a collection', () => {
    expect(() => refuseUnsafeCollection(deleteOptionsFromBody({}))).not.toThrow();
    expect(refusal(() => refuseUnsafeCollection(deleteOptionsFromBody({ [UNSAFE]: true }))).message).toBe(
      `DeleteOptions.meta.k8s.io "" is invalid: ${UNSAFE}: Invalid value: true: is not allowed with DELETECOLLECTION, try again after removing the option`,
    );
  });
});

describe('get options', () => {
  it('refuse export', () => {
    expect(parseGetOptions(query('resourceVersion=5&export=False'))).toEqual({ resourceVersion: '5' });
    expect(refusal(() => parseGetOptions(query('export='))).code).toBe(400);
  });
});

describe('list and watch options', () => {
  it('request a watch unless watch is 0 or false', () => {
    for (const text of ['watch', 'watch=no', 'watch=00', 'watch=f']) expect(parseListOptions(query(text)).watch).toBe(true);
    for (const text of ['', 'watch=0', 'watch=FaLse', 'watch=false&watch=true']) expect(parseListOptions(query(text)).watch).toBe(false);
  });

  it('start a watch without a version with initial events', () => {
    for (const text of ['watch=1', 'watch=1&resourceVersion=0']) {
      expect(parseListOptions(query(text))).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    }
    expect(parseListOptions(query('watch=1&resourceVersion=7')).sendInitialEvents).toBeUndefined();
    expect(parseListOptions(query('watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan')).sendInitialEvents).toBe(false);
  });

  it('are validated as a list on the /watch/ paths, although these watch', () => {
    expect(parseListOptions(query('watch=false'), true)).toMatchObject({ watch: true, sendInitialEvents: undefined });
    expect(refusal(() => parseListOptions(query('sendInitialEvents=true'), true)).message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
  });

  it('parse integers like Go', () => {
    expect(parseListOptions(query('limit=-1&timeoutSeconds=%2B5'))).toMatchObject({ limit: -1, timeoutSeconds: 5 });
    for (const text of ['', '0x2', '1.5', '1e1', ' 2', '1_0']) {
      expect(refusal(() => parseListOptions(query(`limit=${text}`)))).toEqual({
        code: 400,
        message: `strconv.ParseInt: parsing "${text}": invalid syntax`,
      });
    }
    expect(refusal(() => parseListOptions(query('timeoutSeconds=9223372036854775808&limit=x'))).message).toBe(
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    );
  });

  it('are parsed before they are validated', () => {
    expect(refusal(() => parseListOptions(query('resourceVersionMatch=Bogus&labelSelector=!!')))).toEqual({
      code: 400,
      message: "unable to parse requirement: found '!', expected: identifier",
    });
  });

  it('report every error, in order', () => {
    expect(refusal(() => parseListOptions(query('continue=x&resourceVersionMatch=Bogus'))).message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided, resourceVersionMatch: Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""]',
    );
    expect(refusal(() => parseListOptions(query('watch=1&continue=x&sendInitialEvents=1&resourceVersionMatch=Exact'))).message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan", resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]',
    );
  });
});

describe('the default field manager', () => {
  it('is the parameter, or the product in the User-Agent', () => {
    expect(managerName('me', 'kubectl/v1')).toBe('me');
    expect(managerName('', 'kubectl/v1.36 (linux)')).toBe('kubectl');
    expect(managerName('', '')).toBe('unknown');
    expect(managerName('', '/x')).toBe('unknown');
  });

  it('keeps printable characters and 128 bytes of the User-Agent', () => {
    expect(managerName('', 'a\tb')).toBe('ab');
    expect(managerName('', `${'x'.repeat(127)}éy`)).toBe('x'.repeat(127));
  });
});
