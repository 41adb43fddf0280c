/** Streams of these endpoints, as events before framing. */
import type { Completion } from '../answer/completion.ts';
import { positive } from '../answer/fields.ts';
import type { SimRequest } from '../answer/request.ts';
import type { RenderedStream, StreamEvent } from '../dialects/dialect.ts';
import { completionHead, completionUsage, imageUsage, picture, sound, transcriptUsage } from './answers.ts';
import { askedOf, isRefused, textOfChoice } from './asked.ts';

/** `finish: false` leaves out what says that it is finished. */
export function renderPlainStream(completion: Completion, request: SimRequest, finish: boolean): RenderedStream {
  switch (askedOf(request).name) {
    case 'completions':
      return { events: textEvents(completion, request, finish), terminator: { data: '[DONE]', content: false } };
    case 'image_generation':
      return { events: imageEvents(completion, request, finish, 'image_generation'), terminator: null };
    case 'image_edit':
      return { events: imageEvents(completion, request, finish, 'image_edit'), terminator: null };
    case 'speech':
      return { events: soundEvents(completion, finish), terminator: null };
    default:
      return { events: transcriptEvents(completion, finish), terminator: null };
  }
}

function event(value: object, content: boolean, name?: string): StreamEvent {
  return { data: JSON.stringify(value), content, ...(name === undefined ? {} : { name }) };
}

function textEvents(completion: Completion, request: SimRequest, finish: boolean): StreamEvent[] {
  const head = completionHead(completion, request);
  const chunk = (choices: object[], content: boolean): StreamEvent => event({ ...head, choices }, content);
  const events = completion.choices.flatMap(({ index, text, finish: reason }) => {
    const words = text.map((word) => chunk([{ text: word, index, logprobs: null, finish_reason: null }], true));
    return finish ? [...words, chunk([{ text: '', index, logprobs: null, finish_reason: reason }], false)] : words;
  });
  if (!request.includeUsage) return events;
  return [...events, event({ ...head, choices: [], usage: completionUsage(completion) }, false)];
}

function imageEvents(completion: Completion, request: SimRequest, finish: boolean, name: string): StreamEvent[] {
  const partials = positive(askedOf(request).fields['partial_images']) ?? 0;
  const common = {
    created_at: completion.created,
    size: '1024x1024',
    quality: 'low',
    background: 'opaque',
    output_format: 'png',
  };
  return completion.choices.flatMap((choice) => {
    if (isRefused(choice) || textOfChoice(choice) === '') return [];
    const early = Array.from({ length: partials }, (_, partial_image_index) => {
      const b64_json = picture(completion, 1000 + partial_image_index);
      return event(
        { type: `${name}.partial_image`, b64_json, partial_image_index, ...common },
        true,
        `${name}.partial_image`,
      );
    });
    if (!finish) return early;
    const b64_json = picture(completion, choice.index);
    return [
      ...early,
      event(
        { type: `${name}.completed`, b64_json, ...common, usage: imageUsage(completion) },
        true,
        `${name}.completed`,
      ),
    ];
  });
}

const SOUND_PIECE = 4096;

function soundEvents(completion: Completion, finish: boolean): StreamEvent[] {
  const bytes = sound(completion, textOfChoice(completion.choices[0]));
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += SOUND_PIECE) {
    const audio = bytes.subarray(at, at + SOUND_PIECE).toString('base64');
    events.push(event({ type: 'speech.audio.delta', audio }, true));
  }
  const { input, output } = completion.usage;
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return finish ? [...events, event({ type: 'speech.audio.done', usage }, false)] : events;
}

function transcriptEvents(completion: Completion, finish: boolean): StreamEvent[] {
  const text = textOfChoice(completion.choices[0]);
  const words = completion.choices[0]?.text ?? [];
  const events = text === '' ? [] : words.map((delta) => event({ type: 'transcript.text.delta', delta }, true));
  return finish
    ? [...events, event({ type: 'transcript.text.done', text, usage: transcriptUsage(text) }, false)]
    : events;
}
