import { describe, expect, it } from 'vitest';
import type { Failure } from '../../core/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { type AnswerFaults, errorIn, objectOf } from './answer-faults.ts';
import { classifyWith } from './classify.ts';

/** A dialect whose answers have `output`, and `stuck` where they failed. */
const FAULTS: AnswerFaults = {
  answerName: 'sonnet',
  errorIn: (value) => errorIn(value, (body) => body['output'] !== undefined),
  answerFault: (value) =>
    objectOf(value)?.['stuck'] === true
      ? { class: 'overloaded', maybeExecuted: false, code: 'stuck', message: 'it is stuck' }
      : null,
};

function classified(body: unknown, status = 200): Failure {
  return classifyWith(FAULTS)({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    inStream: false,
    vocabulary: vocabularyFor('generic'),
    wall: 0,
    phase: 'body',
    mask: (text) => text,
  });
}

describe('classifyWith', () => {
  it('F-6: what is no answer is told by the dialect’s own name for one', () => {
    expect(classified({ a: 1 })).toMatchObject({ class: 'malformed', message: 'the upstream answer is no sonnet' });
  });

  it('F-6: a fault of the dialect’s own gives class, code and words', () => {
    expect(classified({ output: [], stuck: true })).toMatchObject({
      class: 'overloaded',
      code: 'stuck',
      message: 'it is stuck',
      maybeExecuted: false,
    });
  });

  it('F-6: a message beside an answer is no error, one instead of it is', () => {
    expect(classified({ output: [], message: 'slow down' }).message).toBe('the upstream answer is no sonnet');
    expect(classified({ message: 'slow down' }).message).toBe('slow down');
  });

  it('F-1: an HTTP failure needs no words of the dialect', () => {
    const error = { error: { message: 'no', code: 'rate_limit_exceeded' } };
    expect(classified(error, 429)).toMatchObject({ class: 'rate_limit', status: 429, message: 'no' });
  });
});
