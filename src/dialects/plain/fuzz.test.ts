/** Whatever comes, nothing throws, hangs or passes for whole when it is not. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../sim/random.ts';
import type { StreamTapOptions } from '../contract.ts';
import { PLAIN_ENDPOINTS } from './endpoints.ts';
import { FormScanner } from './form-scanner.ts';
import { plainCodec } from './json-codec.ts';

const ROUNDS = 400;
const OPTIONS: StreamTapOptions = {
  servedModel: 'm',
  includeUsage: true,
  n: 1,
  maxEventBytes: 10_000,
  maxPreludeBytes: 10_000,
  holdAll: false,
  maxHeldBytes: 10_000,
  contentType: 'text/event-stream',
};

const random = seededRandom(7);
const below = (n: number): number => Math.floor(random() * n);

/** Bytes changed, cut out, doubled or swapped. */
function spoiled(bytes: Buffer): Buffer {
  let out = Buffer.from(bytes);
  for (let times = 1 + below(4); times > 0 && out.length > 0; times -= 1) {
    const at = below(out.length);
    const until = Math.min(out.length, at + below(30));
    switch (below(4)) {
      case 0:
        out[at] = below(256);
        break;
      case 1:
        out = Buffer.concat([out.subarray(0, at), out.subarray(until)]);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, until), out.subarray(at)]);
        break;
      default:
        out = out.subarray(0, at);
    }
  }
  return out;
}

function pieces(bytes: Buffer): Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + below(40);
    list.push(bytes.subarray(at, at + size));
    at += size;
  }
  return list;
}

const STREAMS: Readonly<Record<string, string>> = {
  completions:
    'data: {"id":"c","model":"u","choices":[{"text":"one","index":0,"finish_reason":null}]}\n\n' +
    'data: {"id":"c","model":"u","choices":[{"text":"","index":0,"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  image_generation:
    'event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AA"}\n\n' +
    'event: image_generation.completed\ndata: {"type":"image_generation.completed","b64_json":"BB"}\n\n',
  transcription:
    'data: {"type":"transcript.text.delta","delta":"hi"}\n\ndata: {"type":"transcript.text.done","text":"hi"}\n\n',
};

/** Words that only a whole stream of the kind holds. */
const ENDS: Readonly<Record<string, RegExp>> = {
  completions: /"finish_reason":\s*"[^"]|\[DONE\]/,
  image_generation: /completed|done/,
  transcription: /completed|done/,
};

describe.each(PLAIN_ENDPOINTS.filter(({ operation }) => operation in STREAMS))(
  'a spoiled stream of $operation',
  (endpoint) => {
    const { operation } = endpoint;

    it('T-5, T-10: is complete only with its ending in it, and ends alike however it is split', () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const bytes = spoiled(Buffer.from(STREAMS[operation] ?? ''));
        const verdicts = [[bytes], pieces(bytes)].map((parts) => {
          const tap = plainCodec(endpoint).streamTap(OPTIONS);
          for (const part of parts) tap.push(part);
          tap.end();
          if (tap.complete) tap.tail(null, false);
          expect(tap.complete).toBe(tap.fault === null);
          return [tap.complete, tap.fault?.kind ?? null];
        });
        expect(verdicts[1]).toEqual(verdicts[0]);
        if (verdicts[0]?.[0] === true) expect(bytes.toString()).toMatch(ENDS[operation]!);
      }
    });
  },
);

describe('spoiled answers', () => {
  it.each(PLAIN_ENDPOINTS)('F-1: of $operation are read or refused', (endpoint) => {
    const codec = plainCodec(endpoint);
    const whole = Buffer.from(
      '{"id":"x","text":"t","data":[{"embedding":[1],"b64_json":"AA"}],"results":[{}],"choices":[{"text":"a","finish_reason":"stop"}],"usage":{"total_tokens":3}}',
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      const bytes = spoiled(whole);
      const answer = codec.readAnswer(bytes);
      if (answer !== null)
        JSON.parse(
          Buffer.from(codec.writeAnswer(answer, { servedModel: 'm', report: null, classic: false })).toString(),
        );
    }
  });
});

describe('spoiled forms', () => {
  it('E-5: are read or refused in words, the same however they are split', () => {
    const form = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b\r\n' +
        'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--\r\n--b--\r\n',
    );
    for (let round = 0; round < ROUNDS * 5; round += 1) {
      const bytes = spoiled(form);
      const [first, second] = [[bytes], pieces(bytes)].map((parts) => {
        const scanner = new FormScanner('b');
        for (const part of parts) scanner.push(part);
        const fields = scanner.finish();
        return {
          fields: typeof fields === 'string' ? 'refused' : Buffer.from(fields).toString(),
          parts: scanner.parts,
        };
      });
      expect(second?.fields).toBe(first?.fields);
      if (first === undefined || first.fields === 'refused') continue;
      JSON.parse(first.fields);
      expect(second?.parts).toEqual(first.parts);
      for (const { start, valueStart, valueEnd, end } of first.parts) {
        expect([start < valueStart, valueStart <= valueEnd, valueEnd < end, end <= bytes.length]).toEqual([
          true,
          true,
          true,
          true,
        ]);
      }
    }
  });
});
