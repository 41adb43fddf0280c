/** A canonical answer as a Messages client gets it. */
import { utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, CanonicalAnswer, JsonText, Opaque, Part, Written } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { argumentsObject, objectText } from '../cross/json-text.ts';
import { stateOfCall } from '../cross/opaque-marks.ts';
import { callId, citationText, sealOf, signatureOf } from './answer-blocks.ts';
import { showsThoughts } from './shows-thoughts.ts';
import { stopReason } from './stop-reasons.ts';
import { writeUsage } from './usage.ts';

export function writeCanonical(answer: CanonicalAnswer, identity: AnswerIdentity, echo: ClientRequest): Written {
  const blocks = new Blocks(identity.vendor, showsThoughts(echo.view));
  const [choice] = answer.choices;
  for (const part of choice?.parts ?? []) blocks.add(part);
  blocks.endInAnswer();
  if (answer.choices.length > 1) blocks.losses.drop('further choices');
  if (choice !== undefined && choice.logprobs !== null) blocks.losses.leaveOut('logprobs');
  const reason = choice === undefined ? null : stopReason(choice.finish, choice.finishRaw, choice.stopSequence, blocks);
  const text = objectText([
    ['id', JSON.stringify(`msg_${identity.id}`)],
    ['type', '"message"'],
    ['role', '"assistant"'],
    ['model', JSON.stringify(identity.servedModel)],
    ['content', `[${blocks.texts.join(',')}]`],
    ['stop_reason', JSON.stringify(reason)],
    ['stop_sequence', JSON.stringify(reason === 'stop_sequence' ? (choice?.stopSequence ?? null) : null)],
    ['usage', JSON.stringify(writeUsage(answer.usage))],
  ]);
  return { bytes: utf8(text), dropped: blocks.losses.dropped, leftOut: blocks.losses.leftOut };
}

/** How a block of state alone begins. */
const STATE = '{"type":"redacted_thinking"';

/** Content blocks as JSON text. */
class Blocks {
  readonly texts: JsonText[] = [];
  readonly losses = new AnswerLosses();
  calls = false;
  refusal = false;
  readonly #vendor: string;
  readonly #thoughts: 'yes' | 'omitted' | 'no';

  constructor(vendor: string, thoughts: 'yes' | 'omitted' | 'no') {
    this.#vendor = vendor;
    this.#thoughts = thoughts;
  }

  add(part: Part): void {
    switch (part.type) {
      case 'text':
        this.#text(part);
        if (part.opaque === undefined) return;
        if (this.#thoughts !== 'no') this.#sealed(part.opaque);
        else this.losses.leaveOut('opaque reasoning');
        return;
      case 'refusal':
        this.refusal = true;
        this.#text({ type: 'text', text: part.text });
        return;
      case 'reasoning':
        this.#thought(part);
        return;
      case 'call':
        this.#call(part);
        return;
      case 'media':
        this.losses.drop(part.media);
        return;
      case 'result':
        this.losses.drop('tool result');
    }
  }

  /** Who looks for an answer looks at the last block: state that would stand behind it goes before it. */
  endInAnswer(): void {
    const last = this.texts.findLastIndex((block) => !block.startsWith(STATE));
    if (last === -1 || last === this.texts.length - 1) return;
    const states = this.texts.splice(last + 1);
    this.texts.splice(last, 0, ...states);
  }

  #text({ text, citations = [] }: Extract<Part, { type: 'text' }>): void {
    const cited = citations.flatMap((one) => citationText(one, this.#vendor) ?? []);
    if (cited.length < citations.length) this.losses.drop('citations');
    if (citations.some(({ start, end }) => start !== null || end !== null)) this.losses.leaveOut('places of citations');
    // An empty text would be refused in the next turn.
    if (text === '') return;
    this.#push('text', [
      ['text', JSON.stringify(text)],
      ...(cited.length === 0 ? [] : [['citations', `[${cited.join(',')}]`] as const]),
    ]);
  }

  #thought({ text, opaque }: Extract<Part, { type: 'reasoning' }>): void {
    if (this.#thoughts === 'no') {
      if (text !== '') this.losses.leaveOut('reasoning');
      if (opaque !== null) this.losses.leaveOut('opaque reasoning');
      return;
    }
    // A signature holds for the words it signs: without them its maker would refuse it.
    const words = this.#thoughts === 'yes' || opaque?.kind === 'signature' ? text : '';
    if (words === '' && text !== '') this.losses.leaveOut('reasoning');
    if (words === '' && opaque === null) return;
    if (words === '' && opaque?.kind === 'sealed') {
      this.#sealed(opaque);
    } else {
      this.#push('thinking', [
        ['thinking', JSON.stringify(words)],
        ['signature', JSON.stringify(signatureOf(opaque, this.#vendor))],
      ]);
    }
  }

  /** State without which its maker would refuse the call in the next turn goes along whatever the client shows. */
  #call({ id, name, form, input, opaque }: Extract<Part, { type: 'call' }>): void {
    this.calls = true;
    if (opaque !== undefined) this.#sealed(stateOfCall(opaque, callId(id)));
    this.#push('tool_use', [
      ['id', JSON.stringify(callId(id))],
      ['name', JSON.stringify(name)],
      ['input', form === 'custom' ? objectText([['input', JSON.stringify(input)]]) : argumentsObject(input)],
    ]);
  }

  #sealed(state: Opaque): void {
    this.#push('redacted_thinking', [['data', JSON.stringify(sealOf(state, this.#vendor))]]);
  }

  #push(type: string, members: readonly (readonly [string, JsonText])[]): void {
    this.texts.push(objectText([['type', JSON.stringify(type)], ...members]));
  }
}
