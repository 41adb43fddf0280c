/** Video jobs: made by one account, seen by nobody else. */
import type { Completion } from '../answer/completion.ts';
import type { Memory } from '../answer/memory.ts';
import type { SimRequest } from '../answer/request.ts';
import { credentialOf } from '../calls.ts';
import { errorBody } from '../dialects/chat/errors.ts';
import type { Ask, PlainAnswer } from '../dialects/dialect.ts';
import { askedOf, isRefused, textOfChoice, wanted } from './asked.ts';

type Status = 'queued' | 'completed' | 'failed';

interface Job {
  readonly id: string;
}

const ONE = /\/videos\/([^/?]+)(\/content)?\/?$/;
const LIFE_S = 3600;

export function accountOf(ask: Ask): string {
  return credentialOf(ask.headers) ?? '';
}

/** A job as it is shown. One that was refused has failed at once; one without anything in it has no id either. */
export function videoJob(completion: Completion, request: SimRequest, status: Status): object {
  const [choice] = completion.choices;
  if (choice !== undefined && !isRefused(choice) && textOfChoice(choice) === '') return { object: 'video' };
  const failed = choice !== undefined && isRefused(choice);
  const shown = failed ? 'failed' : status;
  return {
    id: `video_${completion.id}`,
    object: 'video',
    model: request.model,
    status: shown,
    progress: shown === 'completed' ? 100 : 0,
    created_at: completion.created,
    completed_at: shown === 'completed' ? completion.created + 60 : null,
    expires_at: completion.created + LIFE_S,
    prompt: wanted(request, 'prompt', ''),
    seconds: wanted(request, 'seconds', '4'),
    size: wanted(request, 'size', '720x1280'),
    remixed_from_video_id: null,
    error: failed
      ? { code: 'moderation_blocked', message: 'Your request was blocked by our moderation system.' }
      : null,
  };
}

export function rememberVideo(completion: Completion, request: SimRequest, memory: Memory): void {
  const job = videoJob(completion, request, 'completed');
  if ('id' in job) memory.keep(keyOf(askedOf(request).account, (job as Job).id), job);
}

/** Asks after a job, fetches what it made, or deletes it. Null = another path. */
export function serveVideo(ask: Ask, memory: Memory): PlainAnswer | null {
  const match = ONE.exec(ask.path);
  const id = match?.[1];
  if (id === undefined || (ask.method !== 'GET' && ask.method !== 'DELETE')) return null;
  const key = keyOf(accountOf(ask), id);
  const job = memory.recall(key) as Job | undefined;
  if (job === undefined) {
    return { status: 404, body: errorBody({ status: 404, message: `Video '${id}' not found.`, code: 'not_found' }) };
  }
  if (match?.[2] !== undefined) return ask.method === 'GET' ? content(job, ask.query.get('variant') ?? 'video') : null;
  if (ask.method === 'GET') return { status: 200, body: JSON.stringify(job) };
  memory.forget(key);
  return { status: 200, body: JSON.stringify({ id, object: 'video.deleted', deleted: true }) };
}

function keyOf(account: string, id: string): string {
  return `videos/${account}/${id}`;
}

/** Large enough to come in several pieces. */
const VIDEO_BYTES = 300_000;

function content({ id }: Job, variant: string): PlainAnswer {
  if (variant !== 'video')
    return { status: 200, body: Buffer.from(`webp ${id} ${variant}`), contentType: 'image/webp' };
  const name = `mp4 ${id} `;
  return {
    status: 200,
    body: Buffer.from(name.repeat(Math.ceil(VIDEO_BYTES / name.length))),
    contentType: 'video/mp4',
  };
}
