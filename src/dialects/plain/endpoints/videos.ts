/** Videos: a job at the upstream account, asked after by its id (P-8). */
import { type BodyView, readString } from '../../bytes/body-view.ts';
import type { Artifact, PlainEndpoint } from '../endpoint.ts';

/** A job that has failed at once is one that was refused. */
function job(answer: BodyView): Artifact {
  const id = readString(answer, 'id');
  if (typeof id !== 'string' || id === '') return 'missing';
  return readString(answer, 'status') === 'failed' ? 'rejected' : 'there';
}

export const VIDEO: PlainEndpoint = {
  operation: 'video',
  path: '/videos',
  answerName: 'video job',
  input: 'form',
  required: ['prompt'],
  output: () => 'json',
  artifact: job,
  acts: true,
  needs: [],
  tokens: {},
  answers: () => 1,
  stateIds: (answer) => [readString(answer, 'id') ?? ''].filter((id) => id !== ''),
};
