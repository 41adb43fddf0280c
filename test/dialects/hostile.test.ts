import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../sim/random.ts';
import type { CanonicalAnswer } from '../../src/dialects/canonical.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import {
  CLIENT_HALVES,
  cross,
  native,
  requestOf,
  SPEAKERS,
  speakerOf,
  TARGET,
  VECTORS,
  verdictOf,
} from './crossings.ts';
import { harmed } from './harm.ts';

type Random = () => number;

const pick = (random: Random, length: number): number => Math.floor(random() * length);

/** Ways a stream goes wrong between the upstream and here, or in the upstream itself. */
const HARMS: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  // A bit.
  (bytes, random) => {
    const harmed = Buffer.from(bytes);
    harmed[pick(random, harmed.length)]! ^= 1 << pick(random, 8);
    return harmed;
  },
  // The end is missing.
  (bytes, random) => bytes.subarray(0, pick(random, bytes.length)),
  // A piece is missing.
  (bytes, random) => {
    const from = pick(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + pick(random, 40))]);
  },
  // An event is missing, comes twice, or too early.
  (bytes, random) => rearranged(bytes, random, 'drop'),
  (bytes, random) => rearranged(bytes, random, 'twice'),
  (bytes, random) => rearranged(bytes, random, 'swap'),
  // Two events are glued together.
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const breaks = [...text.matchAll(/\r?\n\r?\n/g)].map(({ index }) => index);
    const at = breaks[pick(random, breaks.length)] ?? 0;
    return Buffer.from(text.slice(0, at) + text.slice(at).replace(/^\s+/, ''), 'latin1');
  },
  // An event holds something else.
  (bytes, random) => {
    const lines = bytes.toString().split('\n');
    const events = lines.flatMap((line, at) => (line.startsWith('data: {') ? [at] : []));
    const at = events[pick(random, events.length)];
    if (at === undefined) return bytes;
    try {
      lines[at] = `data: ${JSON.stringify(harmed(JSON.parse(lines[at]!.slice(6)), random))}`;
    } catch {
      return bytes;
    }
    return Buffer.from(lines.join('\n'));
  },
  // A word is another's.
  (bytes, random) => {
    const words = ['null', '{}', '[]', '""', '-1', '1e999', 'true', '9007199254740993'];
    const text = bytes.toString('latin1');
    const values = [...text.matchAll(/:(\d+|"[^"]*"|null|\{\}|\[\])/g)];
    const value = values[pick(random, values.length)];
    if (value === undefined) return bytes;
    const start = value.index + 1;
    const behind = start + value[1]!.length;
    return Buffer.from(text.slice(0, start) + words[pick(random, words.length)]! + text.slice(behind), 'latin1');
  },
];

function rearranged(bytes: Buffer, random: Random, how: 'drop' | 'twice' | 'swap'): Buffer {
  const events = bytes.toString('latin1').split(/(?<=\n\r?\n)/);
  const at = pick(random, events.length);
  if (how === 'drop') events.splice(at, 1);
  else if (how === 'twice') events.splice(at, 0, events[at]!);
  else if (at > 0) events.splice(at - 1, 2, events[at]!, events[at - 1]!);
  return Buffer.from(events.join(''), 'latin1');
}

const ROUNDS = 60;

describe.each(VECTORS.map((vector) => ({ ...vector, title: vector.file })))('$title', ({ file, dialect, bytes }) => {
  it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-5, T-10: whatever becomes of it, it never looks whole to a client of $name unless it does in its own dialect',
    ({ speaker }) => {
      const random = seededRandom(file.length * 7919 + speaker.client.name.length);
      const wrong: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        let harmed = bytes;
        for (let times = 1 + pick(random, 2); times > 0; times--)
          harmed = HARMS[pick(random, HARMS.length)]!(harmed, random);
        const at = pick(random, harmed.length + 1);
        const mine = native(speakerOf(dialect), [harmed]);
        const theirs = cross(speaker, dialect, [harmed.subarray(0, at), harmed.subarray(at)]);
        const again = native(speaker, [theirs.told]);
        const invented = theirs.tap.complete && !mine.tap.complete;
        const misread = theirs.tap.complete !== again.tap.complete;
        const open = !theirs.tap.complete && theirs.tap.fault === null;
        if (invented || misread || open) {
          const how = [verdictOf(mine.tap), verdictOf(theirs.tap), verdictOf(again.tap)].join(' | ');
          wrong.push(`${how}\n${harmed.toString()}\n→\n${theirs.told.toString()}`);
        }
      }
      expect(wrong.slice(0, 1)).toEqual([]);
    },
  );
});

const ANSWER: CanonicalAnswer = {
  choices: [
    {
      parts: [
        {
          type: 'reasoning',
          text: 'Hm.',
          summary: false,
          opaque: { vendor: 'maker', kind: 'signature', data: 'c2ln', id: null },
        },
        { type: 'text', text: 'Yes.' },
        { type: 'call', id: 'call_1', name: 'look', form: 'function', input: '{"a":1}' },
      ],
      finish: 'tool_calls',
      finishRaw: 'tool_calls',
      stopSequence: null,
      logprobs: null,
    },
  ],
  usage: null,
};

describe.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
  'whole answers of $name',
  ({ speaker }) => {
    const halves = CLIENT_HALVES.find(({ codec }) => codec === speaker.codec)!;
    const identity = { id: 'x', createdAt: 0, servedModel: 'm', vendor: 'maker' };
    const { bytes } = halves.canonical.writeAnswer(ANSWER, identity, requestOf(speaker, { stream: false }));
    const whole: unknown = JSON.parse(Buffer.from(bytes).toString());

    it('F-5, E-5: whatever stands in one, every client gets a readable answer of its dialect, or none', () => {
      const random = seededRandom(speaker.client.name.length + 5);
      let read = 0;
      for (let round = 0; round < 800; round++) {
        const text = JSON.stringify(harmed(whole, random));
        for (const to of SPEAKERS) {
          const request = requestOf(to, { stream: false });
          const lane = laneOf(to.codec, speaker.codec.dialect)!.open({
            request,
            target: TARGET,
            servedModel: 'm',
            id: 'r',
            createdAt: 0,
          });
          const answer = lane.readAnswer(Buffer.from(text));
          if (answer === null) continue;
          const written = to.codec.writeAnswer(answer, { servedModel: 'm', report: null, classic: false });
          expect(to.codec.readAnswer(written)).not.toBeNull();
          read++;
        }
      }
      expect(read).toBeGreaterThan(100);
    });
  },
);
