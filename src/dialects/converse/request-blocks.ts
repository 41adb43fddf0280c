/** Parts of the canonical model as content blocks of this dialect, as JSON text. */
import type { Call, JsonText, Part, ToolResult } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { customArguments } from '../cross/custom-calls.ts';
import { argumentsObject, objectText } from '../cross/json-text.ts';
import { mayGo, REASONING_DROPPED, THOUGHTS_LEFT_OUT } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';
import { upstreamCallId } from './call-ids.ts';
import { formatOf, formatOfName } from './media-formats.ts';

type MediaPart = Extract<Part, { type: 'media' }>;

/** The word for what changed where calls could not be told as calls. */
const CALLS_IN_WORDS = 'earlier calls in words';
/** The only format whose bytes may come as plain text. */
const PLAIN_FORMAT = 'txt';

export class BlockWriter {
  readonly #write: UpstreamWrite;
  readonly #renaming: ToolRenaming;
  readonly #changes: RequestChanges;
  /** Calls and their results are told in words: the request offers no tools, and then no blocks of them are taken. */
  readonly #inWords: boolean;
  readonly #documents = new Set<string>();

  constructor(write: UpstreamWrite, renaming: ToolRenaming, changes: RequestChanges, inWords: boolean) {
    this.#write = write;
    this.#renaming = renaming;
    this.#changes = changes;
    this.#inWords = inWords;
  }

  /** Null = the part has nothing that the dialect would take. */
  block(part: Part): JsonText | null {
    switch (part.type) {
      case 'text':
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        return textBlock(part.text);
      case 'refusal':
        return textBlock(part.text);
      case 'reasoning':
        return this.#reasoning(part);
      case 'media':
        return this.#media(part);
      case 'call':
        return this.#call(part);
      case 'result':
        return null;
    }
  }

  /** A result, which told in words may be several blocks. */
  result(result: ToolResult): JsonText[] {
    if (this.#inWords) return this.#resultInWords(result);
    const { callId, json, parts, failed } = result;
    const content = json === null ? this.#blocks(parts) : [objectText([['json', json]])];
    const members: [string, JsonText][] = [
      ['toolUseId', JSON.stringify(upstreamCallId(callId))],
      ['content', `[${content.join(',')}]`],
    ];
    if (failed) members.push(['status', '"error"']);
    return [objectText([['toolResult', objectText(members)]])];
  }

  #blocks(parts: readonly Part[]): JsonText[] {
    return parts.flatMap((part) => this.block(part) ?? []);
  }

  #resultInWords({ callId, name, json, parts, failed }: ToolResult): JsonText[] {
    this.#changes.note(CALLS_IN_WORDS);
    const texts = parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : []));
    const said = json ?? texts.join('\n');
    const words = `[${failed ? 'error' : 'result'} of ${name ?? callId}: ${said}]`;
    const rest = parts.filter((part) => part.type === 'media');
    return [objectText([['text', JSON.stringify(words)]]), ...this.#blocks(rest)];
  }

  #call(call: Call): JsonText {
    if (call.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
    if (this.#inWords) {
      this.#changes.note(CALLS_IN_WORDS);
      return objectText([['text', JSON.stringify(`[called ${call.name} with ${call.input}]`)]]);
    }
    const input = call.form === 'custom' ? customArguments(call.input) : argumentsObject(call.input);
    return objectText([
      [
        'toolUse',
        objectText([
          ['toolUseId', JSON.stringify(upstreamCallId(call.id))],
          ['name', JSON.stringify(this.#renaming.outward(call.name))],
          ['input', input],
        ]),
      ],
    ]);
  }

  /** Only what its maker signed or sealed is taken back; a thought without either is the client's own copy. */
  #reasoning({ text, opaque }: Extract<Part, { type: 'reasoning' }>): JsonText | null {
    if (opaque === null || !mayGo(opaque, this.#write)) {
      if (opaque !== null) this.#changes.note(REASONING_DROPPED);
      else if (text !== '') this.#changes.mention(THOUGHTS_LEFT_OUT);
      return null;
    }
    this.#changes.opaque = true;
    const data = JSON.stringify(opaque.data);
    const block =
      opaque.kind === 'sealed'
        ? objectText([['redactedContent', data]])
        : objectText([
            [
              'reasoningText',
              objectText([
                ['text', JSON.stringify(text)],
                ['signature', data],
              ]),
            ],
          ]);
    return objectText([['reasoningContent', block]]);
  }

  #media(part: MediaPart): JsonText {
    const { media, mime, name } = part;
    const { source, mime: fetchedMime } = this.#source(part);
    const type = fetchedMime ?? mime;
    const format = (type === null ? null : formatOf(media, type)) ?? formatOfName(media, name ?? '');
    const members: [string, JsonText][] = [['format', JSON.stringify(format ?? DEFAULT_FORMATS[media])]];
    if (media === 'document') members.push(['name', JSON.stringify(this.#documentName(name))]);
    members.push(['source', source]);
    return objectText([[media, objectText(members)]]);
  }

  /** A URL that nobody fetched goes as no bytes at all, which the upstream refuses: nothing is left out in silence. */
  #source({ source }: MediaPart): { source: JsonText; mime: string | null } {
    if (source.by === 'text')
      return { source: objectText([['text', JSON.stringify(source.text)]]), mime: 'text/plain' };
    const fetched = source.by === 'url' ? this.#write.fetched?.get(source.url) : undefined;
    const data = source.by === 'base64' ? source.data : (fetched?.base64 ?? '');
    return { source: objectText([['bytes', JSON.stringify(data)]]), mime: fetched?.mime ?? null };
  }

  /** Letters, digits, single spaces, `-()[]`, and no two alike: other names are refused. */
  #documentName(name: string | null): string {
    const plain = (name ?? '')
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replaceAll(/[^A-Za-z0-9\-()[\]\s]/g, '-')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, 180);
    const base = plain === '' ? 'document' : plain;
    let found = base;
    for (let n = 2; this.#documents.has(found); n++) found = `${base} ${n}`;
    this.#documents.add(found);
    return found;
  }
}

const DEFAULT_FORMATS = { image: 'png', audio: 'mp3', video: 'mp4', document: PLAIN_FORMAT } as const;

/** Text of nothing but space is refused: it says nothing anyway. */
function textBlock(text: string): JsonText | null {
  return text.trim() === '' ? null : objectText([['text', JSON.stringify(text)]]);
}
