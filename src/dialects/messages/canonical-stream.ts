/**
 * A canonical stream as a Messages client gets it (dialects §14.9): one opening, blocks counted from 0 and closed, counts
 * in the event that ends it. Blocks of words open with their first delta: an empty one would be refused in the next turn.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { textOf, utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, BlockStart, CanonicalEvent, CanonicalWriter, Finish, Opaque } from '../canonical.ts';
import type { ClientRequest, ErrorFrame } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { stateOfCall } from '../cross/opaque-marks.ts';
import { callId, citationText, sealOf, signatureOf } from './answer-blocks.ts';
import { streamError } from './errors.ts';
import { writeEvent } from './event-bytes.ts';
import { showsThoughts } from './shows-thoughts.ts';
import { stopReason } from './stop-reasons.ts';
import { CUSTOM_CLOSE, CUSTOM_OPEN, openingOf } from './stream-openings.ts';
import { MESSAGE_STOP } from './stream-tail.ts';
import { writeUsage } from './usage.ts';

/** The one block that is open. */
interface OpenBlock {
  readonly number: number;
  readonly what: BlockStart;
  /** Its words are shown; `later`: if they turn out to be signed, as a signature holds for the words it signs. */
  readonly shown: 'yes' | 'later' | 'no';
  /** Its place in the client's message; −1 = it has not been opened there. */
  index: number;
  /** Around a delta's text. */
  before: Uint8Array;
  readonly states: Opaque[];
  /** Words to be shown later. */
  kept: string;
}

const DELTA_END = utf8('}}\n\n');
const NOTHING = utf8('');
const SHOWN = { yes: 'yes', omitted: 'later', no: 'no' } as const;

export class MessagesCanonicalWriter implements CanonicalWriter {
  readonly losses = new AnswerLosses();
  readonly #out: ByteWriter;
  readonly #identity: AnswerIdentity;
  readonly #thoughts: 'yes' | 'omitted' | 'no';
  #started = false;
  #index = 0;
  #open: OpenBlock | null = null;
  /** States of words, told once something follows: who looks for an answer looks at the last block. */
  #heldStates: Opaque[] = [];
  #calls = false;
  #refusal = false;
  #finish: { readonly finish: Finish; readonly raw: string; readonly stopSequence: string | null } | null = null;
  #usage: Usage | null = null;

  constructor(out: ByteWriter, identity: AnswerIdentity, echo: ClientRequest) {
    this.#out = out;
    this.#identity = identity;
    this.#thoughts = showsThoughts(echo.view);
  }

  write(event: CanonicalEvent): void {
    if (!this.#started) this.#start();
    switch (event.type) {
      case 'delta':
        this.#delta(event.block, event.text);
        return;
      case 'block-start':
        this.#blockStart(event.block, event.choice, event.what);
        return;
      case 'block-end':
        if (this.#open?.number === event.block) this.#close();
        return;
      case 'opaque':
        if (this.#open?.number === event.block) this.#open.states.push(event.opaque);
        return;
      case 'citation': {
        const open = this.#open;
        const citation = citationText(event.citation, this.#identity.vendor);
        if (open?.number !== event.block || open.what.type !== 'text') return;
        const { start, end } = event.citation;
        if (start !== null || end !== null) this.losses.leaveOut('places of citations');
        if (citation === null) this.losses.drop('citations');
        else this.#step(this.#opened(open), `{"type":"citations_delta","citation":${citation}}`);
        return;
      }
      case 'logprobs':
        this.losses.leaveOut('logprobs');
        return;
      case 'finish':
        if (event.choice === 0) this.#finish = event;
        return;
      case 'usage':
        this.#usage = event.usage;
    }
  }

  end(report: Uint8Array | null): void {
    if (!this.#started) this.#start();
    this.#close();
    // Behind the last block they are left out: no maker asks for the state of words, as it does for that of a call.
    if (this.#index === 0) this.#tellStates();
    else if (this.#heldStates.length > 0) this.losses.leaveOut('opaque reasoning');
    const { finish, raw, stopSequence } = this.#finish ?? { finish: 'length', raw: '', stopSequence: null };
    const reason = stopReason(finish, raw, stopSequence, { calls: this.#calls, refusal: this.#refusal });
    const delta = { stop_reason: reason, stop_sequence: reason === 'stop_sequence' ? stopSequence : null };
    const told = report === null ? '' : `,"understudy":${textOf(report)}`;
    const usage = JSON.stringify(writeUsage(this.#usage));
    this.#event('message_delta', `"delta":${JSON.stringify(delta)},"usage":${usage}${told}`);
    this.#out.write(MESSAGE_STOP);
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return streamError(error, requestId);
  }

  #start(): void {
    this.#started = true;
    const message = {
      id: `msg_${this.#identity.id}`,
      type: 'message',
      role: 'assistant',
      model: this.#identity.servedModel,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // The truth comes at the end: clients replace what stands here.
      usage: writeUsage(null),
    };
    this.#event('message_start', `"message":${JSON.stringify(message)}`);
  }

  #blockStart(number: number, choice: number, what: BlockStart): void {
    this.#close();
    if (choice !== 0) {
      this.losses.drop('further choices');
      return;
    }
    if (what.type === 'media') {
      this.losses.drop(what.part.media);
      return;
    }
    this.#tellStates();
    const shown = what.type === 'reasoning' ? SHOWN[this.#thoughts] : 'yes';
    const open: OpenBlock = { number, what, shown, index: -1, before: NOTHING, states: [], kept: '' };
    this.#open = open;
    if (what.type === 'refusal') this.#refusal = true;
    if (what.type !== 'call') return;
    this.#calls = true;
    this.#opened(open);
    if (what.form === 'custom') this.#step(open.index, CUSTOM_OPEN);
  }

  #delta(number: number, text: string): void {
    const open = this.#open;
    if (open === null || open.number !== number) return;
    if (open.shown === 'no') {
      this.losses.leaveOut('reasoning');
      return;
    }
    if (open.shown === 'later') {
      open.kept += text;
      return;
    }
    if (open.index === -1) this.#opened(open);
    this.#out.write(open.before);
    const json = JSON.stringify(text);
    // The text of a freeform call is a string inside of the arguments' JSON.
    const isCustom = open.what.type === 'call' && open.what.form === 'custom';
    this.#out.write(utf8(isCustom ? JSON.stringify(json.slice(1, -1)) : json));
    this.#out.write(DELTA_END);
  }

  /** Opens the block in the client's message, if that has not been done; gives its index there. */
  #opened(open: OpenBlock): number {
    if (open.index !== -1) return open.index;
    const index = this.#index++;
    open.index = index;
    const { block, before } = openingOf(open.what, index);
    open.before = before;
    this.#event('content_block_start', `"index":${index},"content_block":${JSON.stringify(block)}`);
    return index;
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    if (open.what.type === 'reasoning') {
      this.#closeThought(open);
      return;
    }
    if (open.index !== -1) {
      if (open.what.type === 'call' && open.what.form === 'custom') this.#step(open.index, CUSTOM_CLOSE);
      this.#stop(open.index);
    }
    for (const state of open.states) this.#state(open.what, state);
  }

  /** A thought's state closes it; what had no words is a block of state alone. */
  #closeThought(open: OpenBlock): void {
    if (this.#thoughts === 'no') {
      if (open.states.length > 0) this.losses.leaveOut('opaque reasoning');
      return;
    }
    const [first, ...others] = open.states;
    const isSealed = open.index === -1 && first?.kind === 'sealed';
    if (open.kept !== '' && (isSealed || first === undefined)) this.losses.leaveOut('reasoning');
    if (isSealed) this.#heldStates.push(first);
    else if (open.index !== -1 || first !== undefined) {
      const signature = signatureOf(first ?? null, this.#identity.vendor);
      if (open.kept !== '')
        this.#step(this.#opened(open), `{"type":"thinking_delta","thinking":${JSON.stringify(open.kept)}}`);
      this.#step(this.#opened(open), `{"type":"signature_delta","signature":${JSON.stringify(signature)}}`);
      this.#stop(open.index);
    }
    for (const state of others) this.#sealed(state);
  }

  /** State without which its maker would refuse the call in the next turn goes along whatever the client shows. */
  #state(what: BlockStart, state: Opaque): void {
    if (what.type === 'call') this.#sealed(stateOfCall(state, callId(what.id)));
    else if (this.#thoughts !== 'no') this.#heldStates.push(state);
    else this.losses.leaveOut('opaque reasoning');
  }

  #tellStates(): void {
    const states = this.#heldStates;
    if (states.length === 0) return;
    this.#heldStates = [];
    for (const state of states) this.#sealed(state);
  }

  #sealed(state: Opaque): void {
    const index = this.#index++;
    const block = { type: 'redacted_thinking', data: sealOf(state, this.#identity.vendor) };
    this.#event('content_block_start', `"index":${index},"content_block":${JSON.stringify(block)}`);
    this.#stop(index);
  }

  #step(index: number, delta: string): void {
    this.#event('content_block_delta', `"index":${index},"delta":${delta}`);
  }

  #stop(index: number): void {
    this.#event('content_block_stop', `"index":${index}`);
  }

  #event(type: string, fields: string): void {
    writeEvent(this.#out, type, `{"type":"${type}",${fields}}`);
  }
}
