/**
 * A canonical stream as a Chat Completions client gets it. Every chunk has the same opening; a delta is a constant prefix,
 * the text as JSON, a constant suffix.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { utf8 } from '../bytes/text.ts';
import type { AnswerIdentity, BlockStart, CanonicalEvent, CanonicalWriter, Opaque } from '../canonical.ts';
import type { ClientRequest, ErrorFrame } from '../contract.ts';
import { AnswerLosses } from '../cross/answer-losses.ts';
import { urlOf } from '../cross/media.ts';
import { stateOfCall } from '../cross/opaque-marks.ts';
import { annotationOf, detailOf } from './canonical-answer.ts';
import { finishWord, usageObject } from './canonical-finish.ts';
import { wantsReasoning } from './canonical-request.ts';
import { KEEP_ALIVE, streamError } from './errors.ts';
import { DONE } from './held-end.ts';

/** What is known of an open block; few are ever open. */
interface OpenBlock {
  readonly choice: number;
  readonly what: BlockStart;
  /** Of a thought that is shown: its text and what only its maker can read, told together at its end. Null = too long. */
  thought: string | null;
  opaque: Opaque | null;
  /** Bytes before and behind the text of a delta; null = deltas of this block are not shown. */
  readonly before: Uint8Array | null;
  readonly behind: Uint8Array;
}

interface Choice {
  calls: number;
  /** Characters of text so far: where a citation's range starts. */
  text: number;
  finish: string | null;
}

export class ChatCanonicalWriter implements CanonicalWriter {
  readonly losses = new AnswerLosses();
  readonly #out: ByteWriter;
  readonly #vendor: string;
  readonly #includeUsage: boolean;
  readonly #shown: boolean;
  /** Of every chunk, up to its `choices`. */
  readonly #head: string;
  /** Behind the choices. */
  readonly #end: string;
  readonly #choices = new Map<number, Choice>();
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: Usage | null = null;
  // The block of the last delta: the next one's, nearly always.
  #lastBlock = -1;
  #last: OpenBlock | null = null;

  constructor(out: ByteWriter, identity: AnswerIdentity, echo: ClientRequest) {
    this.#out = out;
    this.#vendor = identity.vendor;
    this.#includeUsage = echo.includeUsage;
    this.#shown = wantsReasoning(echo.view);
    const opening = {
      id: `chatcmpl-${identity.id}`,
      object: 'chat.completion.chunk',
      created: Math.floor(identity.createdAt / 1000),
      model: identity.servedModel,
    };
    this.#head = `data: ${JSON.stringify(opening).slice(0, -1)},"choices":`;
    this.#end = this.#includeUsage ? ',"usage":null}\n\n' : '}\n\n';
  }

  write(event: CanonicalEvent): void {
    switch (event.type) {
      case 'delta':
        this.#delta(event.block, event.text);
        break;
      case 'block-start':
        this.#start(event.block, event.choice, event.what);
        break;
      case 'block-end':
        this.#endBlock(event.block);
        break;
      case 'opaque':
        this.#opaque(event.block, event.opaque);
        break;
      case 'citation': {
        const block = this.#blocks.get(event.block);
        const note = annotationOf(event.citation, 0);
        if (block === undefined) break;
        if (note === null) this.losses.drop('citations');
        else this.#chunk(block.choice, { annotations: [note] });
        if (event.citation.quote !== null) this.losses.leaveOut('quotes of citations');
        break;
      }
      case 'logprobs':
        this.#choice(event.choice);
        this.#text(
          `[{"index":${event.choice},"delta":{},"logprobs":{"content":${event.value},"refusal":null},"finish_reason":null}]`,
        );
        break;
      case 'finish':
        this.#choice(event.choice).finish = finishWord(event.finish);
        if (event.finish === 'pause') this.losses.drop(`finish reason ${event.raw}`);
        if (event.stopSequence !== null) this.losses.leaveOut('stop sequence');
        break;
      case 'usage':
        this.#usage = event.usage;
    }
  }

  end(report: Uint8Array | null, classic: boolean): void {
    const last = this.#choices.size - 1;
    let at = 0;
    for (const [index, { finish }] of this.#choices) {
      const told = report !== null && at++ === last ? reportMember(report, classic) : '';
      const reason = finish === null ? 'null' : JSON.stringify(finish);
      const choice = `[{"index":${index},"delta":{},"logprobs":null,"finish_reason":${reason}}]`;
      this.#out.write(utf8(`${this.#head}${choice}${told}${this.#end}`));
    }
    if (report !== null && last === -1) {
      this.#out.write(utf8(`${this.#head}[]${reportMember(report, classic)}${this.#end}`));
    }
    if (this.#includeUsage && this.#usage !== null) {
      const counts = JSON.stringify(usageObject(this.#usage));
      this.#out.write(utf8(`${this.#head}[],"usage":${counts}}\n\n`));
    }
    this.#out.write(DONE);
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return streamError(error, requestId);
  }

  #delta(number: number, text: string): void {
    if (number !== this.#lastBlock) {
      this.#lastBlock = number;
      this.#last = this.#blocks.get(number) ?? null;
    }
    const block = this.#last;
    if (block === null) return;
    if (block.before === null) {
      if (block.what.type === 'reasoning') this.losses.leaveOut('reasoning');
      // A long thought that is not shown: the client sees that something is going on (T-11).
      this.#out.write(KEEP_ALIVE);
      return;
    }
    if (block.what.type === 'text') this.#choices.get(block.choice)!.text += text.length;
    else if (block.thought !== null && block.what.type === 'reasoning') block.thought = longer(block.thought, text);
    this.#out.write(block.before);
    this.#out.write(utf8(JSON.stringify(text)));
    this.#out.write(block.behind);
  }

  #start(number: number, index: number, what: BlockStart): void {
    const choice = this.#choice(index);
    const call = what.type === 'call' ? choice.calls++ : 0;
    this.#blocks.set(number, { choice: index, what, thought: '', opaque: null, ...this.#around(index, what, call) });
    if (what.type === 'call') this.#chunk(index, { tool_calls: [callStart(call, what)] });
    else if (what.type === 'media') this.#media(index, what.part);
  }

  /** The bytes around a delta's text. */
  #around(index: number, what: BlockStart, call: number): Pick<OpenBlock, 'before' | 'behind'> {
    const open = `${this.#head}[{"index":${index},"delta":`;
    const close = `,"logprobs":null,"finish_reason":null}]${this.#end}`;
    const plain = (field: string, shown = true): Pick<OpenBlock, 'before' | 'behind'> => ({
      before: shown ? utf8(`${open}{"${field}":`) : null,
      behind: utf8(`}${close}`),
    });
    switch (what.type) {
      case 'text':
        return plain('content');
      case 'refusal':
        return plain('refusal');
      case 'reasoning':
        return plain('reasoning_content', this.#shown);
      case 'media':
        return plain('content', false);
      case 'call': {
        const field = what.form === 'custom' ? '"custom":{"input":' : '"function":{"arguments":';
        const before = utf8(`${open}{"tool_calls":[{"index":${call},${field}`);
        return { before, behind: utf8(`}}]}${close}`) };
      }
    }
  }

  #opaque(number: number, opaque: Opaque): void {
    const block = this.#blocks.get(number);
    if (block === undefined) return;
    if (!this.#shown) {
      this.losses.leaveOut('opaque reasoning');
      return;
    }
    const { what } = block;
    if (what.type === 'reasoning' && block.opaque === null) block.opaque = opaque;
    else this.#detail(block.choice, '', what.type === 'call' ? stateOfCall(opaque, what.id) : opaque, false);
  }

  /** A thought goes back whole: its text stands once more beside its signature. */
  #endBlock(number: number): void {
    const block = this.#blocks.get(number);
    this.#blocks.delete(number);
    this.#lastBlock = -1;
    if (block === undefined || block.opaque === null) return;
    const summary = block.what.type === 'reasoning' && block.what.summary;
    if (block.thought === null) this.losses.drop('opaque reasoning');
    else this.#detail(block.choice, block.thought, block.opaque, summary);
  }

  #detail(index: number, thought: string, opaque: Opaque, summary: boolean): void {
    this.#chunk(index, { reasoning_details: [detailOf(thought, opaque, this.#vendor, summary)] });
  }

  #media(index: number, part: Extract<BlockStart, { type: 'media' }>['part']): void {
    const { source } = part;
    if (part.media === 'image') {
      this.#chunk(index, { images: [{ type: 'image_url', image_url: { url: urlOf(part) } }] });
    } else if (part.media === 'audio' && source.by === 'base64') {
      this.#chunk(index, { audio: { id: 'audio_0', data: source.data } });
    } else {
      this.losses.drop(part.media);
    }
  }

  /** The choice, with its role chunk before anything else of it. */
  #choice(index: number): Choice {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    const choice: Choice = { calls: 0, text: 0, finish: null };
    this.#choices.set(index, choice);
    this.#chunk(index, ROLE);
    return choice;
  }

  #chunk(index: number, delta: object): void {
    this.#text(`[{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":null}]`);
  }

  #text(choices: string): void {
    this.#out.write(utf8(`${this.#head}${choices}${this.#end}`));
  }
}

/** Characters of a thought that are kept for its end (T-7). */
const MAX_THOUGHT = 1 << 20;

function longer(thought: string, text: string): string | null {
  return thought.length + text.length > MAX_THOUGHT ? null : thought + text;
}

const ROLE = { role: 'assistant', content: '' };

function callStart(index: number, what: Extract<BlockStart, { type: 'call' }>): object {
  const { id, name } = what;
  return what.form === 'custom'
    ? { index, id, type: 'custom', custom: { name, input: '' } }
    : { index, id, type: 'function', function: { name, arguments: '' } };
}

function reportMember(report: Uint8Array, classic: boolean): string {
  return `,"${classic ? 'metadata' : 'understudy'}":${Buffer.from(report).toString('utf8')}`;
}
