import { describe, expect, test } from 'vitest';
import { jsonBytes, textOf, utf8 } from '../bytes/text.ts';
import type { ContentKind, StreamFault, StreamTapOptions } from '../contract.ts';
import { EventTap } from './event-tap.ts';
import { CONTENT, type Grammar, type Look } from './grammar.ts';

/**
 * A toy dialect: `{"say":"x"}` is content, `{"end":"stop"}` the end, `{"count":n}` joins it, `{"over":true}` is the
 * terminator, `{"note":…}` is dropped, `{"was":…}` exchanged, `{"broken":…}` a failed finish.
 */
class Toy implements Grammar {
  usage = null;
  finishReasons: string[] = [];
  stateIds = ['s1'];
  looks = 0;
  over = false;
  readonly #look: Look = { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null };

  get finished(): boolean {
    return this.finishReasons.length > 0;
  }

  look(data: Uint8Array, start: number, end: number): Look {
    this.looks++;
    const look = this.#look;
    Object.assign(look, { place: 'relay', content: 0, contentBytes: 0, fault: null, terminal: false, written: null });
    const event = parse(textOf(data, start, end));
    if (event === null) look.fault = { kind: 'malformed', message: 'no JSON' };
    else if (event['error'] !== undefined) look.fault = { kind: 'error_event', body: data.slice(start, end) };
    else if (event['broken'] !== undefined) look.fault = { kind: 'bad_finish', reason: String(event['broken']) };
    if (event === null) return look;
    if (typeof event['say'] === 'string' && event['say'] !== '') {
      look.content = CONTENT.text;
      look.contentBytes = event['say'].length;
    }
    if (event['deny'] !== undefined) look.content |= CONTENT.refusal;
    if (event['end'] !== undefined) {
      this.finishReasons = [String(event['end'])];
      look.place = 'hold';
    }
    if (event['count'] !== undefined) look.place = 'join';
    if (event['note'] !== undefined) look.place = 'drop';
    if (event['was'] !== undefined) look.written = jsonBytes({ is: event['was'] });
    if (event['over'] !== undefined) {
      this.over = true;
      Object.assign(look, { place: 'drop', terminal: true });
    }
    return look;
  }

  ending(): 'proper' | 'doubtful' | 'cut' {
    if (!this.finished) return 'cut';
    return this.over ? 'proper' : 'doubtful';
  }

  kindAtEnd(content: number): ContentKind {
    return content === 0 ? 'empty' : 'content';
  }

  tail(held: readonly Uint8Array[], report: Uint8Array | null): Uint8Array {
    return utf8(`[${held.map((json) => textOf(json)).join('|')}|${report === null ? '' : textOf(report)}]`);
  }

  interrupt(): Uint8Array {
    return utf8('interrupted');
  }
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const OPTIONS: StreamTapOptions = {
  servedModel: 'served/m',
  includeUsage: false,
  n: 1,
  maxEventBytes: 4096,
  maxPreludeBytes: 4096,
  holdAll: false,
  maxHeldBytes: 1 << 20,
};

const data = (event: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
const SAY = data({ say: 'hi' });
const END = data({ end: 'stop' });
const OVER = data({ over: true });

interface Fed {
  readonly tap: EventTap;
  readonly toy: Toy;
  readonly relayed: string;
  readonly tail: string | null;
}

function feed(input: string, options: Partial<StreamTapOptions> = {}, step = Number.POSITIVE_INFINITY): Fed {
  const toy = new Toy();
  const tap = new EventTap({ ...OPTIONS, ...options }, toy);
  const bytes = utf8(input);
  let relayed = '';
  const drain = (): void => {
    if (tap.ready !== null) relayed += textOf(tap.drain() ?? new Uint8Array());
  };
  for (let at = 0; at < bytes.length; at += Math.min(step, bytes.length)) {
    tap.push(bytes.subarray(at, Math.min(at + step, bytes.length)));
    drain();
  }
  tap.end();
  drain();
  return { tap, toy, relayed, tail: tap.complete ? textOf(tap.tail(utf8('R'))) : null };
}

const kindOf = (fault: StreamFault | null): string | null => fault?.kind ?? null;

describe('EventTap', () => {
  test('T-1: nothing is ready before content, then everything held so far goes out first', () => {
    const prelude = data({ start: 1 }, 'begin');
    expect(feed(prelude).tap.ready).toBeNull();
    expect(feed(prelude + data({ say: '' })).tap.ready).toBeNull();
    const { tap, relayed } = feed(prelude + data({ say: 'x' }, 'delta'));
    expect([tap.ready, tap.contentEvents, tap.contentBytes, relayed]).toEqual([
      'content',
      1,
      1,
      prelude + data({ say: 'x' }, 'delta'),
    ]);
    expect(feed(data({ deny: 1 })).tap.ready).toBe('refusal');
  });

  test('T-8: names are kept, comments, ids, empty data and dropped events are not relayed', () => {
    const noise = ': c\n\nevent: ping\n\ndata:\n\nid: 4\n\nretry: 5\n\n: d\n';
    const { relayed } = feed(`${noise}${data({ say: 'a' }, 'one')}${data({ note: 1 }, 'two')}${noise}${SAY}`);
    expect(relayed).toBe(data({ say: 'a' }, 'one') + SAY);
  });

  test('T-8: data in several lines, CRLF and missing spaces come out as one line with LF', () => {
    expect(feed('event:a\r\ndata:{"say":\r\ndata:"x", "n":12345678901234567890}\r\n\r\n').relayed).toBe(
      'event: a\ndata: {"say": "x", "n":12345678901234567890}\n\n',
    );
  });

  test('T-8: [DONE] says nothing, neither do lists', () => {
    const { tap, relayed } = feed(`${SAY}data: [1]\n\n${END}data: [DONE]\n\n`);
    expect([tap.complete, relayed]).toEqual([true, SAY]);
  });

  test('R-3: what the grammar exchanged is relayed under its own name', () => {
    expect(feed(data({ was: 'up' }, 'begin') + SAY).relayed).toBe(data({ is: 'up' }, 'begin') + SAY);
  });

  test('R-2: the end is held for the report, what joins it too', () => {
    const { relayed, tail } = feed(SAY + END + data({ count: 2 }) + OVER);
    expect([relayed, tail]).toEqual([SAY, '[{"end":"stop"}|{"count":2}|R]']);
    expect(feed(data({ count: 1 }) + SAY).relayed).toBe(data({ count: 1 }) + SAY);
    expect(feed(SAY + data({ count: 1 })).relayed).toBe(SAY + data({ count: 1 }));
    expect(feed(SAY + data({ end: 'stop', was: 'up' }) + OVER).tail).toBe('[{"is":"up"}|R]');
  });

  test('R-2: what comes later releases what was held, with its name, in order', () => {
    const end = data({ end: 'stop', say: 'a' }, 'last');
    const { relayed, tail } = feed(end + data({ count: 1 }, 'sum') + SAY + END + OVER);
    expect([relayed, tail]).toEqual([end + data({ count: 1 }, 'sum') + SAY, '[{"end":"stop"}|R]']);
    expect(feed(END + END + END).relayed).toBe(END + END);
  });

  test('T-5: the terminator completes and nothing is read after it', () => {
    const { tap, toy } = feed(`${SAY}${END}${OVER}${data({ error: 'late' })}`);
    expect([tap.complete, tap.suspicious, tap.fault, toy.looks]).toEqual([true, false, null, 3]);
    expect([tap.finished, tap.finishReasons, tap.stateIds]).toEqual([true, ['stop'], ['s1']]);
  });

  test.each<[string, string, boolean]>([
    ['a clean end after the finish', SAY + END, true],
    ['a whole last event without blank line', SAY + END.trimEnd(), true],
    ['half an event', `${SAY}${END}data: {"co`, false],
    ['half a field', `${SAY}${END}da`, false],
    ['a name without data', `${SAY}${END}event: x`, false],
    ['no finish', SAY, false],
    ['nothing at all', '', false],
  ])('T-5: %s', (_name, input, complete) => {
    const { tap } = feed(input);
    expect([tap.complete, tap.suspicious, kindOf(tap.fault)]).toEqual([complete, complete, complete ? null : 'cut']);
  });

  test('T-5: a complete answer without content is what the grammar says', () => {
    expect(feed(END + OVER).tap.ready).toBe('empty');
  });

  test('T-10: errors are faults with their text, whatever the framing', () => {
    const body = (input: string): string => {
      const { fault } = feed(input).tap;
      return fault?.kind === 'error_event' ? textOf(fault.body).replaceAll(/\s/g, '') : String(fault?.kind);
    };
    expect(body(data({ error: 1 }))).toBe('{"error":1}');
    expect(body('event: error\ndata: Overloaded\n\n')).toBe('Overloaded');
    expect(body('data: [{"error":{"code":429}}]\n\n')).toBe('[{"error":{"code":429}}]');
    expect(body(`${SAY}{\n  "error": {\n"code": 503}\n}`)).toBe('{"error":{"code":503}}');
    expect(body(`${SAY}[{\n  "error": {"code": 503}\n}]\n`)).toBe('[{"error":{"code":503}}]');
  });

  test.each([
    ['JSON cut short', 'data: {"say":\n\n'],
    ['text', 'data: hello\n\n'],
    ['a broken list', 'data: [1,\n\n'],
    ['an answer outside of any event', '{"say":"lost"}\n\n'],
    ['JSON outside of any event that is none', '{"say" "lost"}\n\n'],
    ['a string over two lines', 'data: {"say":"a\ndata: b"}\n\n'],
  ])('T-10: %s is malformed and nothing follows', (_name, bad) => {
    const { tap, relayed } = feed(SAY + bad + SAY + END + OVER);
    expect([kindOf(tap.fault), tap.complete, relayed]).toEqual(['malformed', false, SAY]);
  });

  test('F-6: a failed finish is a fault before anything of its event counts', () => {
    const { tap } = feed(data({ broken: 'BAD', say: 'x' }));
    expect([tap.fault, tap.ready, tap.drain()]).toEqual([{ kind: 'bad_finish', reason: 'BAD' }, null, null]);
  });

  test('T-4: an error after the end takes the end back', () => {
    const { tap, relayed } = feed(SAY + END + data({ error: 1 }));
    expect([relayed, tap.heldBytes, kindOf(tap.fault)]).toEqual([SAY, 0, 'error_event']);
    expect(() => tap.tail(null)).toThrow();
    expect(textOf(tap.interrupt(null as never, 'r') as Uint8Array)).toBe('interrupted');
  });

  test('T-7: an event over its limit, a prelude over its limit, an end over its limit', () => {
    const big = data({ say: 'x'.repeat(5000) });
    expect(kindOf(feed(big).tap.fault)).toBe('malformed');
    expect(kindOf(feed(big, {}, 100).tap.fault)).toBe('malformed');
    const prelude = data({ start: 'x'.repeat(200) }).repeat(30);
    expect(feed(prelude + SAY).tap.fault).toMatchObject({ message: 'more than 4096 bytes before any content' });
    expect(feed(SAY + prelude).tap.fault).toEqual({ kind: 'cut' });
    const counts = data({ count: 'x'.repeat(200) }).repeat(30);
    expect(kindOf(feed(SAY + END + counts).tap.fault)).toBe('malformed');
  });

  test('T-9: under holdAll nothing is ready before the end, or until too much is held', () => {
    const open = new EventTap({ ...OPTIONS, holdAll: true }, new Toy());
    open.push(utf8(SAY + END));
    expect(open.ready).toBeNull();
    open.push(utf8(OVER));
    expect([open.ready, textOf(open.drain()!)]).toEqual(['content', SAY]);
    const over = new EventTap({ ...OPTIONS, holdAll: true, maxHeldBytes: 200 }, new Toy());
    over.push(utf8(SAY.repeat(5)));
    expect(over.ready).toBeNull();
    over.push(utf8(SAY.repeat(15)));
    expect(over.ready).toBe('content');
  });

  test('T-8: any cut of the input gives the same', () => {
    const input = `: c\r\n\r\nevent: b\r\ndata: {"start":"ä€𝄞"}\r\n\r\n${SAY}${data({ was: 'é' })}${END}${data({ count: 1 })}${OVER}`;
    const whole = feed(input);
    for (let step = 1; step < 40; step++) {
      const { relayed, tail } = feed(input, {}, step);
      expect([relayed, tail]).toEqual([whole.relayed, whole.tail]);
    }
  });
});
