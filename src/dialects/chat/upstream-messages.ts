/** Canonical turns as the messages of a Chat Completions request. */
import type { CanonicalRequest, JsonText, Part, ToolResult, Turn } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { dataUrl, type MediaPart, urlOf } from '../cross/media.ts';
import { REASONING_DROPPED, THOUGHTS_LEFT_OUT } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';

/** Routes of this dialect refuse longer ids of calls. */
const MAX_ID = 40;

/** The word for `changes` where media of a tool's result went into a message of the user's. */
export const MEDIA_MOVED = 'tool result media moved to a user message';
const FLAG_DROPPED = 'dropped error flag of a tool result';

/** The array of messages, as JSON. */
export function writeMessages(
  request: CanonicalRequest,
  write: UpstreamWrite,
  renaming: ToolRenaming,
  changes: RequestChanges,
): JsonText {
  const writer = new MessageWriter(write, renaming, changes);
  if (request.system.length > 0) writer.turn({ role: 'system', parts: request.system });
  for (const turn of request.turns) writer.turn(turn);
  return JSON.stringify(writer.messages);
}

class MessageWriter {
  readonly messages: object[] = [];
  readonly #write: UpstreamWrite;
  readonly #renaming: ToolRenaming;
  readonly #changes: RequestChanges;
  /** The message at hand is what a tool's result could not hold. */
  #after: object[] = [];

  constructor(write: UpstreamWrite, renaming: ToolRenaming, changes: RequestChanges) {
    this.#write = write;
    this.#renaming = renaming;
    this.#changes = changes;
  }

  turn({ role, parts }: Turn): void {
    if (role === 'assistant') {
      this.#assistant(parts);
      return;
    }
    // Results stand right behind their calls, before what the user says.
    for (const part of parts) if (part.type === 'result') this.#result(part);
    const content = parts.flatMap((part) => this.#contentOf(part, role));
    const all = [...this.#after, ...content];
    this.#after = [];
    if (all.length > 0) this.messages.push({ role, content: plainest(all) });
  }

  #contentOf(part: Part, role: Turn['role']): object[] {
    switch (part.type) {
      case 'text':
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        return part.text === '' ? [] : [{ type: 'text', text: part.text }];
      case 'refusal':
        return part.text === '' ? [] : [{ type: 'text', text: part.text }];
      case 'media':
        if (role === 'user' || part.source.by === 'text') return [this.#media(part)];
        this.#changes.note(`dropped ${part.media}`);
        return [];
      case 'reasoning':
        this.#leaveOut(part);
        return [];
      case 'call':
      case 'result':
        return [];
    }
  }

  #media(part: MediaPart): object {
    const { source, mime, name, detail } = part;
    if (source.by === 'text') return { type: 'text', text: name === null ? source.text : `${name}:\n${source.text}` };
    const url = urlOf(this.#fetched(part))!;
    if (part.media === 'image') {
      return { type: 'image_url', image_url: { url, ...(detail === null ? {} : { detail }) } };
    }
    const data = source.by === 'base64' ? source.data : '';
    if (part.media === 'audio') return { type: 'input_audio', input_audio: { data, format: formatOf(mime) } };
    return { type: 'file', file: { filename: name ?? 'file', file_data: dataUrl(mime, data) } };
  }

  #fetched(part: MediaPart): MediaPart {
    const file = part.source.by === 'url' ? this.#write.fetched?.get(part.source.url) : undefined;
    return file === undefined ? part : { ...part, mime: file.mime, source: { by: 'base64', data: file.base64 } };
  }

  #result(part: ToolResult): void {
    const texts = part.parts.flatMap((one) => (one.type === 'text' || one.type === 'refusal' ? [one.text] : []));
    const media = part.parts.filter((one) => one.type === 'media');
    if (media.length > 0) {
      this.#changes.note(MEDIA_MOVED);
      this.#after.push(...media.map((one) => this.#media(one)));
    }
    if (part.failed) this.#changes.note(FLAG_DROPPED);
    const pieces = part.json === null ? texts : [part.json];
    const content = pieces.length > 1 ? pieces.map((text) => ({ type: 'text', text })) : (pieces[0] ?? '');
    this.messages.push({ role: 'tool', tool_call_id: shortId(part.callId), content });
  }

  #assistant(parts: readonly Part[]): void {
    const content: { type: string; text?: string; refusal?: string }[] = [];
    const calls: object[] = [];
    for (const part of parts) {
      if (part.type === 'text') {
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        if (part.text !== '') content.push({ type: 'text', text: part.text });
      } else if (part.type === 'refusal') content.push({ type: 'refusal', refusal: part.text });
      else if (part.type === 'reasoning') this.#leaveOut(part);
      else if (part.type === 'media') this.#changes.note(`dropped ${part.media}`);
      else if (part.type === 'call') {
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        calls.push(this.#call(part));
      }
    }
    if (content.length === 0 && calls.length === 0) return;
    this.messages.push({
      role: 'assistant',
      content: content.length === 0 ? null : plainest(content),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    });
  }

  #call(part: Extract<Part, { type: 'call' }>): object {
    const id = shortId(part.id);
    const name = this.#renaming.outward(part.name);
    return part.form === 'custom'
      ? { id, type: 'custom', custom: { name, input: part.input } }
      : { id, type: 'function', function: { name, arguments: part.input === '' ? '{}' : part.input } };
  }

  /** this dialect has no field for it. */
  #leaveOut({ opaque }: Extract<Part, { type: 'reasoning' }>): void {
    if (opaque === null) this.#changes.mention(THOUGHTS_LEFT_OUT);
    else this.#changes.note(REASONING_DROPPED);
  }
}

/** One text is a string: every upstream takes that. */
function plainest(content: readonly object[]): string | readonly object[] {
  const [only] = content as readonly { type?: string; text?: string }[];
  return content.length === 1 && only?.type === 'text' ? only.text! : content;
}

function formatOf(mime: string | null): string {
  return mime === 'audio/mpeg' || mime === 'audio/mp3' ? 'mp3' : (mime?.replace(/^audio\/(x-)?/, '') ?? 'wav');
}

/** The same short id for the same long one, so that call and result still meet. */
function shortId(id: string): string {
  if (id.length <= MAX_ID) return id;
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < id.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(id.charCodeAt(i))) * 0x100000001b3n);
  const print = hash.toString(36);
  return `${id.slice(0, MAX_ID - print.length - 1)}_${print}`;
}
