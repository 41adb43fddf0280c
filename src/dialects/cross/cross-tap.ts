/**
 * One stream between two dialects: the upstream's reader gives canonical events, the client's writer makes bytes of them.
 * What stands here holds for every pair: when the answer may be shown (T-1), what a proper ending is (T-5), and that
 * neither half can make a stream that looks whole and is not.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { JsonProgress } from '../bytes/json-progress.ts';
import type {
  AnswerIdentity,
  BlockStart,
  CanonicalClient,
  CanonicalEvent,
  CanonicalReader,
  CanonicalUpstream,
  CanonicalWriter,
  Finish,
  ToolNames,
} from '../canonical.ts';
import type { ClientRequest, ContentKind, ErrorFrame, StreamTap, StreamTapOptions } from '../contract.ts';
import { ANSWER, CONTENT } from '../stream/grammar.ts';
import { HeldStream } from '../stream/held-stream.ts';
import { bothOf } from './answer-losses.ts';
import { saysCallsAreWhole } from './call-check.ts';

/** What one stream runs between. */
export interface CrossTapSetup {
  readonly client: CanonicalClient;
  readonly upstream: CanonicalUpstream;
  readonly identity: AnswerIdentity;
  readonly request: ClientRequest;
  readonly names: ToolNames;
  /** The client's libraries make `{}` of arguments that broke off: such a stream must not end well, however late it is. */
  readonly callsMustBeWhole: boolean;
}

interface OpenBlock {
  readonly choice: number;
  readonly bits: number;
  /** Of a call whose arguments are JSON. */
  readonly check: JsonProgress | null;
}

interface Choice {
  /** Its open block; −1 = none. */
  block: number;
  finish: Finish | null;
  /** Arguments of a call of it are no JSON. */
  badCall: boolean;
}

export class CrossTap extends HeldStream implements StreamTap {
  readonly #reader: CanonicalReader;
  readonly #callsMustBeWhole: boolean;
  readonly #writer: CanonicalWriter;
  readonly #choices = new Map<number, Choice>();
  readonly #finishReasons: string[] = [];
  readonly #blocks = new Map<number, OpenBlock>();
  #blockCount = 0;
  #unfinished = 0;
  #usage: Usage | null = null;
  // Most deltas go to the block of the one before.
  #lastNumber = -1;
  #last: OpenBlock | null = null;

  constructor(options: StreamTapOptions, setup: CrossTapSetup) {
    super(options);
    const { client, upstream, identity, request, names } = setup;
    this.#callsMustBeWhole = setup.callsMustBeWhole;
    this.#writer = client.streamWriter(this.out, identity, request);
    this.#reader = upstream.streamReader({
      maxEventBytes: options.maxEventBytes,
      names,
      vendor: identity.vendor,
      emit: (event) => this.#take(event),
    });
  }

  push(chunk: Uint8Array): void {
    if (this.isOver) return;
    this.out.expect(2 * chunk.length + OUTPUT_ROOM);
    this.#reader.push(chunk);
    this.#look();
  }

  end(): void {
    if (this.isOver) return;
    this.#reader.end();
    this.#look();
    // A reader that cannot say how its stream ended has seen no ending.
    if (!this.isOver) this.fail({ kind: 'cut' });
  }

  get finished(): boolean {
    return this.#allFinished && !this.#hasBrokenCall();
  }

  get finishReasons(): readonly string[] {
    return this.#finishReasons;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get heldBytes(): number {
    return this.out.length + this.#reader.pendingBytes;
  }

  get dropped(): readonly string[] {
    return bothOf(this.#reader.losses?.dropped, this.#writer.losses.dropped);
  }

  get leftOut(): readonly string[] {
    return bothOf(this.#reader.losses?.leftOut, this.#writer.losses.leftOut);
  }

  tail(report: Uint8Array | null, classic: boolean): Uint8Array {
    if (!this.complete) throw new Error('tail() of a stream that is not complete');
    this.#writer.end(report, classic);
    return this.out.take();
  }

  interrupt(error: GatewayError, requestId: string): ErrorFrame {
    return this.#writer.interrupt(error, requestId);
  }

  /** F-5, as for whole answers: reasoning alone is no answer. A model that refuses without a word has answered. */
  protected override kindAtEnd(content: number): ContentKind {
    let filtered = false;
    let refused = false;
    for (const { finish } of this.#choices.values()) {
      filtered ||= finish === 'content_filter';
      refused ||= finish === 'refusal';
    }
    const answer = content & ANSWER;
    if (answer === 0) return refused ? 'refusal' : filtered ? 'filtered' : 'empty';
    return filtered || refused || answer === CONTENT.refusal ? 'refusal' : 'content';
  }

  /** After each read: has it gone wrong, or come to its end? */
  #look(): void {
    if (this.fault !== null) return;
    if (this.#reader.fault !== null) {
      this.fail(this.#reader.fault);
      return;
    }
    const { ending } = this.#reader;
    if (ending !== 'open') this.#conclude(ending);
    else this.checkLimits(0, 0);
  }

  /** T-5: every choice that appeared has its finish reason and no block is open, or it is a cut. */
  #conclude(ending: 'proper' | 'doubtful'): void {
    const hasAll = this.#hasAll();
    if (!this.#allFinished || this.#blocks.size > 0 || (ending === 'doubtful' && !hasAll)) {
      this.fail({ kind: 'cut' });
      return;
    }
    this.conclude(ending === 'doubtful' || !hasAll, this.#hasBrokenCall(), this.#callsMustBeWhole);
  }

  #hasAll(): boolean {
    for (let index = 0; index < this.options.n; index++) if (!this.#choices.has(index)) return false;
    return true;
  }

  get #allFinished(): boolean {
    return this.#unfinished === 0 && this.#choices.size > 0;
  }

  /** A call that says it is whole and is not (dialects §8); after `length` it may well be cut. */
  #hasBrokenCall(): boolean {
    for (const { finish, badCall } of this.#choices.values()) {
      if (badCall && finish !== null && saysCallsAreWhole(finish)) return true;
      // Those it speaks of got lost.
      if (finish === 'tool_calls' && this.saysNothing) return true;
    }
    return false;
  }

  #take(event: CanonicalEvent): void {
    if (this.isOver) return;
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
      case 'citation':
        if (this.#open(event.block) === null) return;
        this.noteContent(event.type === 'opaque' ? CONTENT.reasoning : CONTENT.annotations, 0);
        break;
      case 'finish':
        this.#finish(event.choice, event.finish, event.raw);
        break;
      case 'usage':
        this.#usage = event.usage;
        break;
      case 'logprobs':
        this.#choice(event.choice);
    }
    if (this.fault === null) this.#writer.write(event);
  }

  #open(number: number): OpenBlock | null {
    if (number === this.#lastNumber) return this.#last;
    const block = this.#blocks.get(number) ?? null;
    if (block === null) this.fail({ kind: 'malformed', message: 'content of a block that is not open' });
    else {
      this.#lastNumber = number;
      this.#last = block;
    }
    return block;
  }

  #delta(number: number, text: string): void {
    const block = this.#open(number);
    if (block === null) return;
    this.noteContent(block.bits, Buffer.byteLength(text));
    block.check?.add(text);
  }

  #start(number: number, index: number, what: BlockStart): void {
    const choice = this.#choice(index);
    if (choice === null) return;
    if (number !== this.#blockCount || choice.block !== -1 || choice.finish !== null) {
      this.fail({ kind: 'malformed', message: 'a block out of its order' });
      return;
    }
    this.#blockCount++;
    choice.block = number;
    const check = what.type === 'call' && what.form === 'function' ? new JsonProgress() : null;
    this.#blocks.set(number, { choice: index, bits: bitsOf(what), check });
    if (what.type === 'call') this.noteContent(CONTENT.call, Buffer.byteLength(what.name));
    else if (what.type === 'media') this.noteContent(bitsOf(what), 0);
  }

  #endBlock(number: number): void {
    const block = this.#open(number);
    if (block === null) return;
    this.#blocks.delete(number);
    this.#lastNumber = -1;
    this.#last = null;
    const choice = this.#choices.get(block.choice)!;
    choice.block = -1;
    if (block.check?.isWhole === false) choice.badCall = true;
  }

  #finish(index: number, finish: Finish, raw: string): void {
    const choice = this.#choice(index);
    if (choice === null) return;
    if (choice.block !== -1 || choice.finish !== null) {
      this.fail({ kind: 'malformed', message: 'a finish reason out of its order' });
      return;
    }
    choice.finish = finish;
    this.#unfinished--;
    this.#finishReasons.push(raw);
  }

  /** Null = nobody asked for so many. */
  #choice(index: number): Choice | null {
    const known = this.#choices.get(index);
    if (known !== undefined) return known;
    if (!Number.isInteger(index) || index < 0 || index >= this.options.n) {
      this.fail({ kind: 'malformed', message: 'a choice that nobody asked for' });
      return null;
    }
    const choice: Choice = { block: -1, finish: null, badCall: false };
    this.#choices.set(index, choice);
    this.#unfinished++;
    return choice;
  }
}

/** Room for opening events beside what a read brings. */
const OUTPUT_ROOM = 1024;

function bitsOf(what: BlockStart): number {
  switch (what.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'call':
      return CONTENT[what.type];
    case 'media':
      return what.part.media === 'audio' ? CONTENT.audio : CONTENT.images;
  }
}
