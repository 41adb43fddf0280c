import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Behaviour, HEALTHY } from '../../answer/behaviour.ts';
import { fieldsOf } from '../../answer/fields.ts';
import { Memory } from '../../answer/memory.ts';
import { readReadyMade, readyMadeNames } from '../../answer/ready-made.ts';
import type { SimRequest } from '../../answer/request.ts';
import { replyOf } from '../../play/from-behaviour.ts';
import type { Reply } from '../../play/reply.ts';
import { chatDialect } from '../chat/dialect.ts';
import type { Asked, SimDialect } from '../dialect.ts';
import { responsesDialect } from './dialect.ts';

const CHANCE = { seed: 1, call: 0 };
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

function asked(dialect: SimDialect, body: object): Asked {
  const memory = new Memory();
  const ask = { method: 'POST', path: '/v1/x', query: new URLSearchParams(), headers: {} };
  const place = { operation: 'generate', model: null, stream: null, form: null } as const;
  const request = dialect.read(body, place, ask, memory);
  if (!('model' in request)) throw new Error(request.message);
  return { dialect, request, memory };
}

const inChat = (model: string, stream: boolean): Asked =>
  asked(chatDialect, {
    model,
    stream,
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  });
const here = (model: string, stream: boolean): Asked =>
  asked(responsesDialect, { model, stream, input: 'x', tools: [{ type: 'function', name: 'f', parameters }] });

function textOf(reply: Reply): string {
  const bytes = Buffer.concat([...reply.pieces].flatMap((piece) => ('waitMs' in piece ? [] : [piece])));
  const encoding = reply.headers.get('content-encoding');
  const lies = /^[e{]/.test(bytes.toString('latin1'));
  if (encoding === undefined || lies) return bytes.toString();
  return (encoding === 'br' ? brotliDecompressSync : encoding === 'gzip' ? gunzipSync : inflateSync)(bytes).toString();
}

/** Everything about a reply that has nothing to do with its dialect. */
function outside({ delayMs, socket, status, end, length, headers, pieces }: Reply): object {
  const pauses = [...pieces].filter((piece) => 'waitMs' in piece);
  return { delayMs, socket, status, end, whole: length !== null, headers: Object.fromEntries(headers), pauses };
}

const behaviours: [string, Behaviour][] = readyMadeNames().flatMap((name) => {
  const found = readReadyMade(name);
  return found === null || typeof found === 'string' || found.random !== undefined ? [] : [[name, found]];
});

/** Names whose streams end as they should. */
function endsWell({ cutAfter, errorAfter, garbageAfter, html, status, without }: Behaviour): boolean {
  return [cutAfter, errorAfter, garbageAfter, html, status, without].every((fault) => fault === undefined);
}

describe('every ready-made fault', () => {
  it.each(behaviours)('X-1: %s is outside what it is in Chat, in a stream and whole', (name, behaviour) => {
    for (const stream of [true, false]) {
      const ours = replyOf(behaviour, here(name, stream), CHANCE);
      expect(outside(ours)).toEqual(outside(replyOf(behaviour, inChat(name, stream), CHANCE)));
    }
  });

  it.each(behaviours)('X-1: %s ends with the response exactly when it ends well', (name, behaviour) => {
    const text = textOf(replyOf(behaviour, here(name, true), CHANCE));
    expect(/response\.(completed|incomplete)/.test(text)).toBe(endsWell(behaviour));
    const whole = textOf(replyOf(behaviour, here(name, false), CHANCE));
    const parsed = ((): unknown => {
      try {
        return JSON.parse(whole);
      } catch {
        return null;
      }
    })();
    const answers = endsWell(behaviour) || behaviour.without !== undefined;
    expect(['completed', 'incomplete'].includes(String(fieldsOf(parsed)['status']))).toBe(answers);
  });

  it('X-1: a fault after n events comes after as many pieces of content as in Chat', () => {
    const pieces = (asking: Asked, behaviour: Behaviour, content: RegExp): number =>
      [...textOf(replyOf(behaviour, asking, CHANCE)).matchAll(content)].length;
    for (const fault of ['cutAfter', 'errorAfter', 'garbageAfter'] as const) {
      for (let n = 0; n < 9; n += 1) {
        const there = pieces(inChat('m', true), { [fault]: n }, /"delta":\{"content":/g);
        expect(pieces(here('m', true), { [fault]: n }, /"delta":"/g), `${fault} ${n}`).toBe(there);
      }
    }
  });
});

describe('the first content', () => {
  const first = (model: string, fields: object, behaviour: Behaviour): string | undefined => {
    const asking = asked(responsesDialect, { model, input: 'x', stream: true, ...fields });
    const pieces = [...replyOf({ ...behaviour, firstTokenMs: 9 }, asking, CHANCE).pieces];
    const after = pieces[pieces.findIndex((piece) => 'waitMs' in piece) + 1];
    return after instanceof Uint8Array ? /^event: response\.(\S+)/.exec(Buffer.from(after).toString())?.[1] : undefined;
  };

  it('X-1: is a piece, the start of a call, a thought that nobody can read, or the end of an empty answer', () => {
    const effort = { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] };
    const tools = [{ type: 'function', name: 'f', parameters }];
    expect(first('m', {}, HEALTHY)).toBe('output_text.delta');
    expect(first('m', { tools, tool_choice: 'required' }, HEALTHY)).toBe('output_item.added');
    expect(first('m', effort, HEALTHY)).toBe('output_item.done');
    expect(first('m', { reasoning: { summary: 'auto' } }, HEALTHY)).toBe('reasoning_summary_text.delta');
    expect(first('m', {}, { content: 'refusal' })).toBe('refusal.delta');
    expect(first('m', {}, { content: 'empty' })).toBe('output_item.done');
  });
});

describe('whatever is sent to it', () => {
  const place = { operation: 'generate', model: null, stream: null, form: null } as const;
  const ask = { method: 'POST', path: '/v1/responses', query: new URLSearchParams(), headers: {} };
  const read = (body: unknown) => responsesDialect.read(body, place, ask, new Memory());

  it('X-1: is taken or refused, never thrown at', () => {
    const field = fc.constantFrom(
      'input',
      'tools',
      'tool_choice',
      'text',
      'reasoning',
      'metadata',
      'include',
      'prompt',
    );
    const type = fc.constantFrom(
      'message',
      'function_call',
      'reasoning',
      'item_reference',
      'function_call_output',
      'x',
    );
    const named = fc.oneof(fc.string(), fc.constantFrom('toString', '__proto__', 'id', 'name', 'call_id', 'content'));
    const item = fc.tuple(type, fc.dictionary(named, fc.jsonValue())).map(([type, rest]) => ({ type, ...rest }));
    fc.assert(
      fc.property(field, fc.jsonValue(), fc.array(item), (name, value, items) => {
        for (const body of [value, { model: 'm', input: 'x', [name]: value }, { model: 'm', input: items }]) {
          const found = read(JSON.parse(JSON.stringify(body)));
          expect('model' in found || typeof found.message === 'string').toBe(true);
        }
      }),
    );
  });

  it('X-1: any text comes back whole and in pieces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const asking = asked(responsesDialect, { model: 'm', input: text, stream: true });
        const stream = textOf(replyOf({ ...HEALTHY, content: 'echo' }, asking, CHANCE));
        const events = stream.split('\n\n').filter((block) => block !== '');
        const told = events.map((block) => fieldsOf(JSON.parse(block.slice(block.indexOf('data: ') + 6))));
        const deltas = told.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
        expect(deltas.join('')).toBe(text);
        expect(JSON.stringify(fieldsOf(told.at(-1)?.['response'])['output'])).toContain(JSON.stringify(text));
      }),
    );
  });

  it('X-1: renders what nobody has read, as a script does that answers early', () => {
    const unread = { ...(read({ model: 'm', input: 'x', stream: true }) as SimRequest), own: null };
    const asking = { dialect: responsesDialect, request: unread, memory: new Memory() };
    expect(textOf(replyOf(HEALTHY, asking, CHANCE))).toContain('event: response.completed');
  });
});
