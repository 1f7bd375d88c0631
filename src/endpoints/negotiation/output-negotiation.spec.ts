import { SERIALIZERS } from '../../apimachinery/codec/serializers.js';
import { OutputNegotiation, parseAccept } from './output-negotiation.js';
import { Serializers } from './serializers.js';

const serializers = new Serializers(SERIALIZERS.filter(({ mediaType }) => mediaType !== 'application/cbor'));
const objects = new OutputNegotiation(serializers, true);
const errors = new OutputNegotiation(serializers, false);
const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const TABLE = ';as=Table;v=v1;g=meta.k8s.io';

describe('OutputNegotiation', () => {
  it.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/yaml', 'application/yaml'],
    [`${PROTOBUF},${JSON_TYPE}`, PROTOBUF],
    [`${JSON_TYPE},${PROTOBUF}`, JSON_TYPE],
    [`${JSON_TYPE};q=0.5,${PROTOBUF}`, PROTOBUF],
    [`*/*,${PROTOBUF}`, PROTOBUF],
    [`text/html,application/yaml;q=0.1`, 'application/yaml'],
    ['application/json;q=0', JSON_TYPE],
    ['garbage, application/json;x=y', JSON_TYPE],
    ['application/json;stream=watch', JSON_TYPE],
  ])('Accept %s selects %s', (accept, mediaType) => {
    expect(objects.choose(accept)?.serializer.mediaType).toBe(mediaType);
  });

  it.each([
    'text/html',
    'APPLICATION/JSON',
    'application/json/x',
    'application/yaml;stream=watch',
    'application/json;sv=1',
    'application/json;v=v1',
  ])('Accept %s is not acceptable', (accept) => {
    expect(objects.choose(accept)).toBeUndefined();
    expect(() => objects.require(accept)).toThrow('only the following media types are accepted: application/json, application/yaml');
  });

  it('selects a Table if it is requested', () => {
    expect(objects.choose(`${JSON_TYPE}${TABLE}`)?.transform).toEqual({ kind: 'Table', version: 'v1' });
  });

  it('skips forms that the endpoint or the encoding does not support', () => {
    expect(objects.choose(`${PROTOBUF}${TABLE}`)).toBeUndefined();
    expect(objects.choose(`${PROTOBUF}${TABLE},${JSON_TYPE}`)).toMatchObject({ serializer: { mediaType: JSON_TYPE } });
    expect(errors.choose(`${JSON_TYPE}${TABLE}`)).toBeUndefined();
    expect(objects.choose(`${JSON_TYPE};as=Table;v=v9;g=meta.k8s.io,application/yaml`)?.serializer.mediaType).toBe('application/yaml');
  });

  it('has no stream of YAML', () => {
    expect(() => objects.requireStream('application/yaml')).toThrow(
      'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    );
  });
});

const types = (header: string) => parseAccept(header).map(({ type, subtype }) => `${type}/${subtype}`);

describe('parseAccept', () => {
  it('sorts entries by quality and specificity, like a stable insertion sort', () => {
    expect(types('a/a;q=0.1, */*, b/*, c/c, d/d;q=0.5')).toEqual(['c/c', 'd/d', 'b/*', '*/*', 'a/a']);
  });

  it('reads and sorts the first thousand entries of a long header', () => {
    const entries = Array.from({ length: 80_000 }, (_, index) => `a/${index};q=0.${String(index).padStart(5, '0')}`);
    expect(types(entries.join(','))).toHaveLength(1000);
    expect(types(entries.join(','))[0]).toBe('a/999');
  });
});
