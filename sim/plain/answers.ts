/** Whole answers of these endpoints. An answer that was to be empty, or refused, is one without what was asked for. */
import type { Completion } from '../answer/completion.ts';
import { positive, tokensOf, wordOf } from '../answer/fields.ts';
import type { SimRequest } from '../answer/request.ts';
import { hashText, seededRandom } from '../random.ts';
import { askedOf, isRefused, textOfChoice } from './asked.ts';
import { videoJob } from './videos.ts';

export function renderPlain(completion: Completion, request: SimRequest): string {
  const { name } = askedOf(request);
  switch (name) {
    case 'embeddings':
      return JSON.stringify(embeddings(completion, request));
    case 'moderations':
      return JSON.stringify(moderations(completion, request));
    case 'rerank':
      return JSON.stringify(ranking(completion, request));
    case 'image_generation':
    case 'image_edit':
      return JSON.stringify(images(completion));
    case 'transcription':
    case 'translation':
      return JSON.stringify(transcript(completion, request));
    case 'video':
      return JSON.stringify(videoJob(completion, request, 'queued'));
    case 'completions':
      return JSON.stringify(textCompletion(completion, request));
    case 'speech':
      return '';
  }
}

const SOUND_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const PLAIN_FORMATS = ['text', 'srt', 'vtt'];

/** Type and bytes of an answer that is no JSON; null = it is JSON. */
export function rawAnswer(
  completion: Completion,
  request: SimRequest,
): { readonly type: string; readonly bytes: Uint8Array } | null {
  const { name, fields } = askedOf(request);
  const format = typeof fields['response_format'] === 'string' ? fields['response_format'] : '';
  const text = textOfChoice(completion.choices[0]);
  if (name === 'speech') return { type: SOUND_TYPES[format || 'mp3'] ?? 'audio/mpeg', bytes: sound(completion, text) };
  if ((name !== 'transcription' && name !== 'translation') || !PLAIN_FORMATS.includes(format)) return null;
  const lines = {
    text: `${text}\n`,
    srt: `1\n00:00:00,000 --> 00:00:02,000\n${text}\n`,
    vtt: `WEBVTT\n\n00:00.000 --> 00:02.000\n${text}\n`,
  };
  return { type: 'text/plain; charset=utf-8', bytes: Buffer.from(lines[format as keyof typeof lines]) };
}

/** Some kilobytes for each word, no two calls the same. */
export function sound({ id }: Completion, text: string): Buffer {
  if (text === '') return Buffer.alloc(0);
  const random = seededRandom(hashText(id, 1));
  const body = Buffer.alloc(4096 * text.split(' ').length);
  for (let at = 0; at < body.length; at += 1) body[at] = Math.floor(random() * 256);
  return Buffer.concat([Buffer.from('ID3'), body]);
}

export function picture({ id }: Completion, index: number): string {
  return Buffer.from(`\x89PNG ${id} ${index}`, 'latin1').toString('base64');
}

function inputs(request: SimRequest): unknown[] {
  const { input } = askedOf(request).fields;
  if (!Array.isArray(input)) return [input];
  return typeof input[0] === 'number' ? [input] : input;
}

function embeddings(completion: Completion, request: SimRequest): object {
  const { fields } = askedOf(request);
  const list = textOfChoice(completion.choices[0]) === '' ? [] : inputs(request);
  const dimensions = positive(fields['dimensions']) ?? 8;
  const data = list.map((input, index) => {
    const random = seededRandom(hashText(`${request.model}/${wordOf(input)}`, 1));
    const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
    const embedding =
      fields['encoding_format'] === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    return { object: 'embedding', index, embedding };
  });
  const tokens = request.promptTokens;
  return { object: 'list', data, model: request.model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

function moderations(completion: Completion, request: SimRequest): object {
  const list = textOfChoice(completion.choices[0]) === '' ? [] : inputs(request);
  const results = list.map((input) => {
    const flagged = wordOf(input).includes('violence');
    return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 0.9 : 0.01 } };
  });
  return { id: `modr-${completion.id}`, model: request.model, results };
}

/** Documents that share most words with the query come first. */
function ranking(completion: Completion, request: SimRequest): object {
  const { fields } = askedOf(request);
  if (textOfChoice(completion.choices[0]) === '') return { id: completion.id };
  const words = new Set(wordOf(fields['query']).toLowerCase().split(/\W+/));
  const documents = Array.isArray(fields['documents']) ? (fields['documents'] as unknown[]) : [];
  const scored = documents.map((document, index) => {
    const own = wordOf(document).toLowerCase().split(/\W+/);
    return { index, relevance_score: own.filter((word) => words.has(word)).length / Math.max(own.length, 1) };
  });
  const results = scored
    .toSorted((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, positive(fields['top_n']) ?? scored.length);
  return { id: completion.id, results, meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } } };
}

function images(completion: Completion): object {
  const data = completion.choices.flatMap((choice) => {
    if (isRefused(choice)) return [{ b64_json: '', finish_reason: 'content_filter' }];
    return textOfChoice(choice) === '' ? [] : [{ b64_json: picture(completion, choice.index) }];
  });
  return { created: completion.created, data, usage: imageUsage(completion) };
}

export function imageUsage({ usage: { input, output } }: Completion): object {
  const input_tokens_details = { image_tokens: 0, text_tokens: input };
  return { input_tokens: input, input_tokens_details, output_tokens: output, total_tokens: input + output };
}

function transcript(completion: Completion, request: SimRequest): object {
  const text = textOfChoice(completion.choices[0]);
  if (text === '' && isRefused(completion.choices[0]!)) return {};
  const verbose = askedOf(request).fields['response_format'] === 'verbose_json';
  const segments = [{ id: 0, start: 0, end: 2, text }];
  if (verbose)
    return {
      task: 'transcribe',
      language: 'english',
      duration: 2,
      text,
      segments,
      usage: { type: 'duration', seconds: 2 },
    };
  return { text, usage: transcriptUsage(text) };
}

export function transcriptUsage(text: string): object {
  const output = tokensOf(text);
  const input_token_details = { audio_tokens: 20, text_tokens: 0 };
  return { type: 'tokens', input_tokens: 20, input_token_details, output_tokens: output, total_tokens: 20 + output };
}

function textCompletion(completion: Completion, request: SimRequest): object {
  const { echo, prompt } = askedOf(request).fields;
  const choices = completion.choices.map((choice) => ({
    text: (echo === true && typeof prompt === 'string' ? prompt : '') + choice.text.join(''),
    index: choice.index,
    logprobs: null,
    finish_reason: choice.finish,
  }));
  return { ...completionHead(completion, request), choices, usage: completionUsage(completion) };
}

export function completionHead({ id, created }: Completion, { model }: SimRequest): object {
  return { id: `cmpl-${id}`, object: 'text_completion', created, model };
}

export function completionUsage({ usage: { input, output } }: Completion): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
