import { describe, expect, it } from 'vitest';
import { decisiveCode } from './code-rules.ts';
import { codeKey } from './vocabulary.ts';

const classOf = (code: string) => decisiveCode([codeKey(code)]);

describe('F-1: a generation that the upstream declares failed', () => {
  it('F-1: is known by exactly the agreed codes, however they are written', () => {
    for (const code of ['upstream_rejected', 'upstream_no_artifact', 'UPSTREAM_REJECTED', 'UpstreamNoArtifact']) {
      expect(classOf(code), code).toBe('generation_rejected');
    }
  });

  it('F-1: a code that only holds those words is judged as ever', () => {
    for (const code of [
      'upstream_rejected_key',
      'no_artifact',
      'upstream_error',
      'rejected',
      'not_upstream_rejected',
    ]) {
      expect(classOf(code), code).toBeNull();
    }
    expect(classOf('upstream_rejected_billing')).toBe('quota_exhausted');
  });
});
