/**
 * Every member that upstreams' answers are declared to have, on its way to every client of another dialect, whole and
 * streamed: the client is told, or it is recorded, or it stands in the list with a reason (R-4, dialects §11).
 */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { OPTIONS, requestOf, SPEAKERS, type Speaker, TARGET } from './crossings.ts';
import { STREAM_OF } from './members/answer-streams.ts';
import { ANSWERS } from './members/answers.ts';
import { type Body, leftUnsaid, type Outcome, unknownUnsaid } from './members/left-unsaid.ts';
import { ANSWERS_SAY_NOTHING } from './members/says-nothing.ts';

interface Losses {
  readonly dropped?: readonly string[];
  readonly leftOut?: readonly string[];
}

const NO_ANSWER: Outcome = { refused: 'no usable answer', bytes: '', records: [] };

function told(bytes: Uint8Array, { dropped = [], leftOut = [] }: Losses): Outcome {
  const records = [...dropped, ...leftOut.map((name) => `${name} left out`)];
  return { refused: null, bytes: Buffer.from(bytes).toString(), records };
}

function laneTo(speaker: Speaker, dialect: Dialect, reasoning: boolean, stream: boolean) {
  const request = requestOf(speaker, { stream, reasoning });
  const setup = { request, target: TARGET, servedModel: 'm', id: 'x', createdAt: 0 };
  const lane = laneOf(speaker.codec, dialect)!.open(setup);
  lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: false });
  return lane;
}

function whole(speaker: Speaker, dialect: Dialect, reasoning: boolean): (body: Body) => Outcome {
  const lane = laneTo(speaker, dialect, reasoning, false);
  return (body) => {
    const answer = lane.readAnswer(Buffer.from(JSON.stringify(body)));
    if (answer === null) return NO_ANSWER;
    const { bytes, start, end } = answer.view;
    return told(bytes.subarray(start, end), answer);
  };
}

function streamed(speaker: Speaker, dialect: Dialect, reasoning: boolean): (body: Body) => Outcome {
  const lane = laneTo(speaker, dialect, reasoning, true);
  return (body) => {
    const tap = lane.streamTap(OPTIONS);
    tap.push(Buffer.from(STREAM_OF.get(dialect)!(body)));
    tap.end();
    if (!tap.complete) return NO_ANSWER;
    return told(Buffer.concat([tap.drain() ?? Buffer.alloc(0), tap.tail(null, false)]), tap);
  };
}

const WAYS = [...ANSWERS.keys()].flatMap((dialect) =>
  SPEAKERS.filter(({ codec }) => codec.dialect !== dialect).map((speaker) => ({
    dialect,
    speaker,
    client: speaker.client.name,
  })),
);
const found = new Map([...ANSWERS.keys()].map((dialect) => [dialect, new Set<string>()]));

describe.each(WAYS)('what an upstream of $dialect may answer, to a client of $client', ({ dialect, speaker }) => {
  it.each([
    ['whole', whole, true],
    ['whole, thoughts not asked for', whole, false],
    ['streamed', streamed, true],
    ['streamed, thoughts not asked for', streamed, false],
  ] as const)('R-4: is told or recorded, with every member: %s', (_form, way, reasoning) => {
    const become = way(speaker, dialect, reasoning);
    const samples = ANSWERS.get(dialect)!();
    expect(samples.filter(({ body }) => become(body).refused === null).length).toBeGreaterThan(samples.length * 0.9);
    const silent = new Set(
      samples.flatMap(({ body, path }) => [...leftUnsaid(body, path, become), ...unknownUnsaid(body, path, become)]),
    );
    for (const name of silent) found.get(dialect)!.add(name);
    const listed = ANSWERS_SAY_NOTHING.get(dialect)!;
    expect([...silent].filter((name) => !listed.has(name))).toEqual([]);
  });
});

it.each([...ANSWERS.keys()])('R-4: whatever is listed of answers of %s does go in silence', (dialect) => {
  const listed = [...ANSWERS_SAY_NOTHING.get(dialect)!.keys()];
  expect(listed.filter((name) => !found.get(dialect)!.has(name))).toEqual([]);
});
