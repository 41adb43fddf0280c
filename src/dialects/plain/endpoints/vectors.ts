/** Endpoints that judge or measure what they are given: embeddings, moderations, rerank. Another channel may answer as well. */
import { type BodyView, valueByte } from '../../bytes/body-view.ts';
import { OPEN_BRACKET } from '../../bytes/json-grammar.ts';
import { objectsIn } from '../../bytes/nested.ts';
import type { Artifact, Output, PlainEndpoint } from '../endpoint.ts';

const COMMON = {
  input: 'json',
  output: (): Output => 'json',
  acts: false,
  needs: [],
  tokens: { noOutput: true },
  answers: () => 1,
} as const;

/** Every vector is there: one that is missing would shift all behind it. */
function vectors(answer: BodyView): Artifact {
  const list = objectsIn(answer, 'data');
  return list.length > 0 && list.every((one) => valueByte(one, 'embedding') !== 0) ? 'there' : 'missing';
}

function listAt(key: string, other = key): (answer: BodyView) => Artifact {
  return (answer) =>
    valueByte(answer, key) === OPEN_BRACKET || valueByte(answer, other) === OPEN_BRACKET ? 'there' : 'missing';
}

export const EMBEDDINGS: PlainEndpoint = {
  ...COMMON,
  operation: 'embeddings',
  path: '/embeddings',
  answerName: 'list of embeddings',
  required: ['input'],
  artifact: vectors,
};

export const MODERATIONS: PlainEndpoint = {
  ...COMMON,
  operation: 'moderations',
  path: '/moderations',
  answerName: 'list of moderation results',
  required: ['input'],
  artifact: (answer) => (objectsIn(answer, 'results').length > 0 ? 'there' : 'missing'),
};

/** Some call the list `data`. A query may match nothing. */
export const RERANK: PlainEndpoint = {
  ...COMMON,
  operation: 'rerank',
  path: '/rerank',
  answerName: 'ranking',
  required: ['query', 'documents'],
  artifact: listAt('results', 'data'),
};
