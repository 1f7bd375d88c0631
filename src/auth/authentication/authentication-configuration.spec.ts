import { describe, expect, it } from '@jest/globals';
import { parseAuthenticationConfiguration } from './authentication-configuration.js';

const head = (version: string): string => `apiVersion: apiserver.config.k8s.io/${version}\nkind: AuthenticationConfiguration\n`;

describe('an AuthenticationConfiguration', () => {
  it.each(['v1', 'v1beta1'])('is read in %s', (version) => {
    const text = `${head(version)}jwt:
- issuer:
    url: https://login.example.org
    audiences: [a, b]
    audienceMatchPolicy: MatchAny
  claimMappings:
    username: {claim: sub, prefix: ""}
    extra: [{key: example.org/x, valueExpression: claims.x}]
anonymous:
  enabled: true
  conditions: [{path: /livez}, {path: /readyz}]
`;
    expect(parseAuthenticationConfiguration(text)).toEqual({
      jwt: [
        {
          issuer: { url: 'https://login.example.org', audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' },
          claimMappings: { username: { claim: 'sub', prefix: '' }, extra: [{ key: 'example.org/x', valueExpression: 'claims.x' }] },
        },
      ],
      anonymous: { enabled: true, paths: ['/livez', '/readyz'] },
    });
  });

  it('may name no issuer and omit anonymous requests', () => {
    expect(parseAuthenticationConfiguration(head('v1'))).toEqual({ jwt: [] });
  });

  it.each([
    ['', 'it must have the kind AuthenticationConfiguration and the apiVersion apiserver.config.k8s.io/v1 or'],
    ['apiVersion: v1\nkind: Pod', 'it must have the kind'],
    [head('v2'), 'it must have the kind'],
    ['{', 'at line 1'],
    [`${head('v1')}jwt: [{issuer: {uri: x}}]`, 'strict decoding error: unknown field "jwt[0].issuer.uri"'],
    [`${head('v1')}jwt: x`, 'cannot unmarshal string into Go struct field'],
    [
      `${head('v1')}anonymous: {conditions: [{path: /x}]}`,
      'anonymous.conditions: enabled should be set to true when conditions are defined',
    ],
  ])('is refused in one line: %j', (text, message) => {
    expect(() => parseAuthenticationConfiguration(text)).toThrow(message);
    try {
      parseAuthenticationConfiguration(text);
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });
});
