/** A canonical answer as a client of this dialect gets it. */
import { utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalChoice, JsonText, Part, Written } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { writeCitations } from './answer-citations.ts';
import { callPart, footText, mediaPart, textPart, thoughtPart, wantsThoughts } from './answer-writing.ts';
import { finishWordOf } from './canonical-finish.ts';
import { writeLogprobs } from './logprobs.ts';
import { writeUsage } from './usage.ts';

export function writeCanonical(answer: CanonicalAnswer, identity: AnswerIdentity, echo: ClientRequest): Written {
  const losses = new AnswerLosses();
  const shown = wantsThoughts(echo);
  const candidates = answer.choices.map((choice, index) =>
    candidateText(choice, index, { vendor: identity.vendor, shown, losses }),
  );
  const usage = answer.usage === null ? '' : `"usageMetadata":${JSON.stringify(writeUsage(answer.usage))},`;
  const bytes = utf8(`{"candidates":[${candidates.join(',')}],${usage}${footText(identity)}}`);
  return { bytes, dropped: losses.dropped, leftOut: losses.leftOut };
}

interface Context {
  readonly vendor: string;
  readonly shown: boolean;
  readonly losses: AnswerLosses;
}

function candidateText(choice: CanonicalChoice, index: number, context: Context): JsonText {
  const { parts, finish, finishRaw, stopSequence, logprobs } = choice;
  const { losses } = context;
  const texts = parts.flatMap((part) => partText(part, context) ?? []);
  const citations = parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : []));
  if (finish === 'pause') losses.drop(`finish reason ${finishRaw}`);
  if (stopSequence !== null) losses.leaveOut('stop sequence');
  if (citations.some(({ quote }) => quote !== null)) losses.leaveOut('quotes of citations');
  const word = finishWordOf(
    finish,
    parts.some(({ type }) => type === 'refusal'),
  );
  const content = texts.length === 0 ? '{"role":"model"}' : `{"parts":[${texts.join(',')}],"role":"model"}`;
  const cited = citations.length === 0 ? '' : `,"citationMetadata":${JSON.stringify(writeCitations(citations))}`;
  const likely = logprobs === null ? '' : `,"logprobsResult":${JSON.stringify(writeLogprobs(logprobs))}`;
  return `{"content":${content},"finishReason":"${word}","index":${index}${cited}${likely}}`;
}

/** Null = it says nothing, or nothing that the client may read. */
function partText(part: Part, { vendor, shown, losses }: Context): JsonText | null {
  switch (part.type) {
    case 'text':
      return part.text === '' && part.opaque === undefined ? null : textPart(part.text, part.opaque, vendor);
    case 'refusal':
      return textPart(part.text, undefined, vendor);
    case 'reasoning':
      // What is signed must come back whole, whoever reads it.
      if (shown || part.opaque !== null) return thoughtPart(part.text, part.opaque, vendor);
      losses.leaveOut('reasoning');
      return null;
    case 'call':
      return callPart(part, vendor);
    case 'media':
      return mediaPart(part) ?? textPart(part.source.by === 'text' ? part.source.text : '', undefined, vendor);
    case 'result':
      losses.drop('tool result');
      return null;
  }
}
