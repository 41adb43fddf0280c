/** The legacy text completions. */
import { type BodyView, readBoolean, readInteger, readJson, readString } from '../../bytes/body-view.ts';
import { type Edit, edit } from '../../bytes/edit.ts';
import { objectsIn } from '../../bytes/nested.ts';
import type { Artifact, PlainEndpoint } from '../endpoint.ts';
import { DONE, TextCompletions } from '../text-completions.ts';

function texts(answer: BodyView): Artifact {
  const list = objectsIn(answer, 'choices');
  const all = list.length > 0 && list.every((one) => typeof readString(one, 'text') === 'string');
  return all ? 'there' : 'missing';
}

/** So many for each prompt; a list of numbers is one prompt in tokens. */
function answers(view: BodyView): number | null | undefined {
  const n = readInteger(view, 'n');
  const prompt: unknown = readJson(view, 'prompt');
  if (n === undefined || !Array.isArray(prompt) || typeof prompt[0] === 'number') return n;
  return (n ?? 1) * Math.max(1, prompt.length);
}

/** One event with everything, then the counts where the client asked for them. */
function eventsOf(answer: BodyView): Uint8Array[] {
  const withoutUsage: Edit[] = [{ op: 'remove', key: 'usage' }];
  return [edit(answer, withoutUsage)];
}

export const COMPLETIONS: PlainEndpoint = {
  operation: 'completions',
  path: '/completions',
  answerName: 'text completion',
  input: 'json',
  required: [],
  output: (view) => (readBoolean(view, 'stream') === true ? 'events' : 'json'),
  artifact: texts,
  contentBytes: (answer) =>
    objectsIn(answer, 'choices').reduce((sum, one) => sum + (readString(one, 'text')?.length ?? 0), 0),
  acts: false,
  needs: [],
  tokens: {},
  answers,
  outputLimit: 'max_tokens',
  events: {
    grammar: (options) => new TextCompletions(options),
    ofWhole: eventsOf,
    terminator: DONE,
    named: false,
  },
};
