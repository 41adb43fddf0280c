/** A canonical answer as a Chat Completions client gets it. */
import { jsonBytes } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalChoice, Citation, Part, Written } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { urlOf } from '../cross/media.ts';
import { stateOfCall, wrapOpaque } from '../cross/opaque-marks.ts';
import { finishWord, usageObject } from './canonical-finish.ts';
import { wantsReasoning } from './canonical-request.ts';

export function writeCanonical(answer: CanonicalAnswer, identity: AnswerIdentity, echo: ClientRequest): Written {
  const losses = new AnswerLosses();
  const shown = wantsReasoning(echo.view);
  const choices = answer.choices.map((choice, index) => ({
    index,
    message: messageOf(choice.parts, identity.vendor, shown, losses),
    logprobs: logprobsOf(choice),
    finish_reason: finishOf(choice, losses),
  }));
  const bytes = jsonBytes({
    id: `chatcmpl-${identity.id}`,
    object: 'chat.completion',
    created: Math.floor(identity.createdAt / 1000),
    model: identity.servedModel,
    choices,
    ...(answer.usage === null ? {} : { usage: usageObject(answer.usage) }),
  });
  return { bytes, dropped: losses.dropped, leftOut: losses.leftOut };
}

function finishOf({ finish, finishRaw, stopSequence }: CanonicalChoice, losses: AnswerLosses): string {
  if (finish === 'pause') losses.drop(`finish reason ${finishRaw}`);
  if (stopSequence !== null) losses.leaveOut('stop sequence');
  return finishWord(finish);
}

function logprobsOf({ logprobs }: CanonicalChoice): unknown {
  return logprobs === null ? null : { content: JSON.parse(logprobs) as unknown, refusal: null };
}

/** What a message says, gathered from its parts. */
interface Said {
  content: string;
  refusal: string;
  reasoning: string;
  readonly details: object[];
  readonly calls: object[];
  readonly annotations: object[];
  readonly images: object[];
  audio: object | null;
  /** Some of the details are state that only its maker reads. */
  sealed: boolean;
}

function messageOf(parts: readonly Part[], vendor: string, shown: boolean, losses: AnswerLosses): object {
  const said: Said = {
    content: '',
    refusal: '',
    reasoning: '',
    details: [],
    calls: [],
    annotations: [],
    images: [],
    audio: null,
    sealed: false,
  };
  for (const part of parts) say(said, part, vendor, losses);
  if (!shown && said.reasoning !== '') losses.leaveOut('reasoning');
  if (!shown && said.sealed) losses.leaveOut('opaque reasoning');
  const hasAnswer = said.content !== '' || (said.calls.length === 0 && said.refusal === '');
  return {
    role: 'assistant',
    content: hasAnswer ? said.content : null,
    refusal: said.refusal === '' ? null : said.refusal,
    ...(shown && said.reasoning !== '' ? { reasoning_content: said.reasoning } : {}),
    ...(shown && said.details.length > 0 ? { reasoning_details: said.details } : {}),
    ...(said.calls.length > 0 ? { tool_calls: said.calls } : {}),
    ...(said.annotations.length > 0 ? { annotations: said.annotations } : {}),
    ...(said.images.length > 0 ? { images: said.images } : {}),
    ...(said.audio === null ? {} : { audio: said.audio }),
  };
}

function say(said: Said, part: Part, vendor: string, losses: AnswerLosses): void {
  switch (part.type) {
    case 'text':
      for (const citation of part.citations ?? []) {
        const note = annotationOf(citation, said.content.length);
        if (note === null) losses.drop('citations');
        else said.annotations.push(note);
        if (citation.quote !== null) losses.leaveOut('quotes of citations');
      }
      said.content += part.text;
      if (part.opaque !== undefined) {
        said.sealed = true;
        said.details.push(detailOf('', part.opaque, vendor, false));
      }
      break;
    case 'refusal':
      said.refusal += part.text;
      break;
    case 'reasoning':
      said.reasoning += part.text;
      said.sealed ||= part.opaque !== null;
      said.details.push(detailOf(part.text, part.opaque, vendor, part.summary));
      break;
    case 'call':
      said.calls.push(callOf(part));
      if (part.opaque !== undefined) {
        said.sealed = true;
        said.details.push(detailOf('', stateOfCall(part.opaque, part.id), vendor, false));
      }
      break;
    case 'media':
      if (part.media === 'image') said.images.push({ type: 'image_url', image_url: { url: urlOf(part) } });
      else if (part.media === 'audio' && part.source.by === 'base64') said.audio = audioOf(part.source.data);
      else losses.drop(part.media);
      break;
    case 'result':
      losses.drop('tool result');
  }
}

function audioOf(data: string): object {
  return { id: 'audio_0', data, expires_at: 0, transcript: '' };
}

function callOf(part: Extract<Part, { type: 'call' }>): object {
  return part.form === 'custom'
    ? { id: part.id, type: 'custom', custom: { name: part.name, input: part.input } }
    : { id: part.id, type: 'function', function: { name: part.name, arguments: part.input } };
}

/** A thought as routers of this dialect tell it, so that a client can send it back. */
export function detailOf(
  text: string,
  opaque: Extract<Part, { type: 'reasoning' }>['opaque'],
  vendor: string,
  summary: boolean,
): object {
  if (opaque === null) return summary ? { type: 'reasoning.summary', summary: text } : { type: 'reasoning.text', text };
  const mark = wrapOpaque(opaque, vendor);
  if (opaque.kind === 'sealed' && text === '') return { type: 'reasoning.encrypted', data: mark };
  if (summary) return { type: 'reasoning.summary', summary: text, signature: mark };
  return { type: 'reasoning.text', text, signature: mark };
}

/** Null = it names no address, and this dialect knows no other. `before`: text of the message before its part. */
export function annotationOf(citation: Citation, before: number): object | null {
  if (citation.url === null) return null;
  return {
    type: 'url_citation',
    url_citation: {
      url: citation.url,
      title: citation.title ?? '',
      start_index: before + (citation.start ?? 0),
      end_index: before + (citation.end ?? citation.start ?? 0),
    },
  };
}
