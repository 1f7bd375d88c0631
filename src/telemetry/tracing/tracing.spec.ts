import { parseTracingConfig } from './tracing.js';

const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n';

test('an endpoint is a host and a port, or a URL; without a rate, only traces begun by clients are recorded', () => {
  expect(parseTracingConfig(HEAD)).toEqual({ url: 'http://localhost:4318/v1/traces', ratio: 0 });
  expect(parseTracingConfig(`${HEAD}endpoint: collector:4318\nsamplingRatePerMillion: 1000`)).toEqual({
    url: 'http://collector:4318/v1/traces',
    ratio: 0.001,
  });
  expect(parseTracingConfig(`${HEAD}endpoint: https://collector/otlp/traces`).url).toBe('https://collector/otlp/traces');
});

test.each([
  ['', 'must be a TracingConfiguration'],
  ['kind: Lease\napiVersion: apiserver.config.k8s.io/v1', 'must be a TracingConfiguration'],
  [`${HEAD}endPoint: x`, 'has an unknown field "endPoint"'],
  [`${HEAD}samplingRatePerMillion: 1000001`, 'samplingRatePerMillion must be a whole number between 0 and 1000000'],
  [`${HEAD}endpoint: "unix:///x"`, 'endpoint must be host:port, or an http or https URL'],
  ['{', 'is not YAML'],
])('%j is refused', (text, message) => {
  expect(() => parseTracingConfig(text)).toThrow(message);
});
