/** Sound: made from text, written down, translated. */
import { type BodyView, readBoolean, readJson, readString, valueByte } from '../../bytes/body-view.ts';
import { QUOTE } from '../../bytes/json-grammar.ts';
import { jsonBytes } from '../../bytes/text.ts';
import { CONTENT } from '../../stream/grammar.ts';
import type { Artifact, EventStreams, Output, PlainEndpoint } from '../endpoint.ts';
import { ObjectEvents } from '../object-events.ts';

/** No object of an answer is sound: whatever comes as JSON in its place is none. */
export const SPEECH: PlainEndpoint = {
  operation: 'speech',
  path: '/audio/speech',
  answerName: 'sound',
  input: 'json',
  required: ['input'],
  output: (view) => (readString(view, 'stream_format') === 'sse' ? 'events' : 'bytes'),
  artifact: () => 'missing',
  acts: true,
  needs: [],
  tokens: { audioOut: true },
  answers: () => 1,
  events: {
    grammar: (options) => new ObjectEvents(options, CONTENT.audio),
    ofWhole: () => [],
    terminator: '',
    named: false,
  },
};

const PLAIN_FORMATS: ReadonlySet<string> = new Set(['text', 'srt', 'vtt']);

function written(view: BodyView): Output {
  if (PLAIN_FORMATS.has(readString(view, 'response_format') ?? '')) return 'bytes';
  return readBoolean(view, 'stream') === true ? 'events' : 'json';
}

/** Silence has an empty text. */
function transcript(answer: BodyView): Artifact {
  return valueByte(answer, 'text') === QUOTE ? 'there' : 'missing';
}

const TRANSCRIPT_EVENTS: EventStreams = {
  grammar: (options) => new ObjectEvents(options, CONTENT.text),
  ofWhole: (answer) => {
    const text = readString(answer, 'text') ?? '';
    const usage: unknown = readJson(answer, 'usage');
    const done = { type: 'transcript.text.done', text, ...(usage === undefined ? {} : { usage }) };
    return [jsonBytes({ type: 'transcript.text.delta', delta: text }), jsonBytes(done)];
  },
  terminator: '',
  named: false,
};

const WRITTEN_DOWN = {
  input: 'form',
  required: ['file'],
  output: written,
  artifact: transcript,
  contentBytes: (answer: BodyView) => readString(answer, 'text')?.length ?? 0,
  acts: false,
  needs: ['audio'],
  tokens: { audioIn: true },
  answers: () => 1,
  events: TRANSCRIPT_EVENTS,
  plainText: (answer: BodyView) => readString(answer, 'text') ?? null,
} as const;

export const TRANSCRIPTION: PlainEndpoint = {
  ...WRITTEN_DOWN,
  operation: 'transcription',
  path: '/audio/transcriptions',
  answerName: 'transcript',
};

export const TRANSLATION: PlainEndpoint = {
  ...WRITTEN_DOWN,
  operation: 'translation',
  path: '/audio/translations',
  answerName: 'translation',
};
