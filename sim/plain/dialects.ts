/**
 * The endpoints beside the conversation, as OpenAI has them: embeddings, moderations, images, audio, videos and text
 * completions, and rerank as most have it. Each is a dialect of its own to the simulator.
 */
import { errorBody, errorHeaders } from '../dialects/chat/errors.ts';
import { type Ask, endsWithPath, type Place, type SimDialect } from '../dialects/dialect.ts';
import { EVENT_FRAMES } from '../dialects/event-frames.ts';
import { parseJson } from '../incoming.ts';
import { rawAnswer, renderPlain } from './answers.ts';
import { askedOf } from './asked.ts';
import type { PlainName } from './fields.ts';
import { parseForm } from './form.ts';
import { readPlain, SentForm, takesForm } from './requests.ts';
import { renderPlainStream } from './streams.ts';
import { accountOf, rememberVideo, serveVideo } from './videos.ts';

const PATHS: Readonly<Record<PlainName, string>> = {
  embeddings: '/embeddings',
  moderations: '/moderations',
  rerank: '/rerank',
  image_generation: '/images/generations',
  image_edit: '/images/edits',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  translation: '/audio/translations',
  video: '/videos',
  completions: '/completions',
};

function plainDialect(name: PlainName): SimDialect {
  return {
    name,
    match: (ask) => matched(ask, PATHS[name]),
    ...(takesForm(name) ? { parse: parseBody } : {}),
    read: (body, place, ask) => readPlain(name, body, accountOf(ask), place.model),
    renderBody: renderPlain,
    renderBytes: (completion, request) => rawAnswer(completion, request)?.bytes ?? null,
    renderStream: renderPlainStream,
    framing: () => EVENT_FRAMES,
    answerHeaders: (completion, request) => {
      const raw = request.stream ? null : rawAnswer(completion, request);
      return raw === null ? {} : { 'content-type': raw.type };
    },
    errorBody,
    errorHeaders,
    streamError: (fault) => ({ data: errorBody(fault), content: false }),
    remember: (completion, request, memory) => {
      if (askedOf(request).name === 'video') rememberVideo(completion, request, memory);
    },
    ...(name === 'video' ? { serve: (ask, _body, memory) => serveVideo(ask, memory) } : {}),
  };
}

function matched(ask: Ask, path: string): Place | null {
  if (ask.method !== 'POST' || !endsWithPath(ask, path)) return null;
  const deployment = /\/deployments\/([^/]+)\//.exec(ask.path)?.[1];
  return {
    operation: 'generate',
    model: deployment === undefined ? null : decodeURIComponent(deployment),
    stream: null,
    form: null,
  };
}

function parseBody(body: Buffer, ask: Ask): unknown {
  const values = parseForm(body, ask.headers['content-type']);
  if (values !== null) return new SentForm(values);
  return /^multipart/i.test(ask.headers['content-type'] ?? '') ? undefined : parseJson(body);
}

export const plainDialects: readonly SimDialect[] = (Object.keys(PATHS) as PlainName[]).map(plainDialect);
