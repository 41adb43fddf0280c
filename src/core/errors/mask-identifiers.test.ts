import { describe, expect, it } from 'vitest';
import { maskIdentifiers } from './mask-identifiers.ts';

describe('E-1: ids of the upstream account', () => {
  it.each([
    [
      'Rate limit reached for gpt-x in organization org-AbC123xyz on tokens per min',
      'Rate limit reached for gpt-x in organization org-*** on tokens per min',
    ],
    ['in project proj_9ZkQ: slow down', 'in project proj_***: slow down'],
    ['(user-abcdef) has no access', '(user-***) has no access'],
    ['see https://x.example/org-1/limits', 'see https://x.example/org-***/limits'],
    ['Include req_011CSHoEeqs5C35K2UUqR7Fy in your message', 'Include req_*** in your message'],
    ['org-acme and org-acme', 'org-*** and org-***'],
    ['help (Request ID: 0242ac120002-77)', 'help (Request ID: ***)'],
    ['{"request_id":"a1b2c3d4e5"}', '{"request_id":"***"}'],
  ])('%s', (text, masked) => {
    expect(maskIdentifiers(text)).toBe(masked);
  });

  it.each([
    'a user-defined function, org-wide settings, the user-agent header',
    'user_id and user_location are not allowed; req_body is missing',
    'the request id is unknown',
    'organization and project settings',
  ])('plain words stay: %s', (text) => {
    expect(maskIdentifiers(text)).toBe(text);
  });
});
