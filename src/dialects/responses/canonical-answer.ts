/** A canonical answer as a Responses client gets it whole: what the events of its stream would have led to. */
import { utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, BlockStart, CanonicalAnswer, Part, Written } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { ResponsesCanonicalWriter } from './canonical-stream.ts';

/** This dialect has one answer: the first. */
export function writeCanonical(answer: CanonicalAnswer, identity: AnswerIdentity, echo: ClientRequest): Written {
  const writer = new ResponsesCanonicalWriter(null, identity, echo);
  const [choice] = answer.choices;
  if (choice !== undefined) {
    const { finish, finishRaw, stopSequence, logprobs } = choice;
    const spoken = choice.parts.findLastIndex(({ type }) => type === 'text');
    choice.parts.forEach((part, block) => {
      writePart(writer, part, block, block === spoken ? logprobs : null);
    });
    writer.write({ type: 'finish', choice: 0, finish, raw: finishRaw, stopSequence });
  }
  if (answer.usage !== null) writer.write({ type: 'usage', usage: answer.usage });
  const bytes = utf8(writer.whole(null));
  const { dropped, leftOut } = writer.losses;
  return { bytes, dropped, leftOut };
}

function writePart(writer: ResponsesCanonicalWriter, part: Part, block: number, logprobs: string | null): void {
  const what = startOf(part);
  if (what === null) {
    writer.losses.drop('tool result');
    return;
  }
  writer.write({ type: 'block-start', block, choice: 0, what });
  const text = part.type === 'call' ? part.input : 'text' in part ? part.text : '';
  if (text !== '') writer.write({ type: 'delta', block, text });
  if (part.type === 'text') {
    for (const citation of part.citations ?? []) writer.write({ type: 'citation', block, citation });
  }
  if (logprobs !== null) writer.write({ type: 'logprobs', choice: 0, value: logprobs });
  const opaque = 'opaque' in part ? part.opaque : null;
  if (opaque) writer.write({ type: 'opaque', block, opaque });
  writer.write({ type: 'block-end', block });
}

function startOf(part: Part): BlockStart | null {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: part.type };
    case 'reasoning':
      return { type: 'reasoning', summary: part.summary };
    case 'call':
      return { type: 'call', id: part.id, name: part.name, form: part.form };
    case 'media':
      return { type: 'media', part };
    case 'result':
      return null;
  }
}
